/** "1 mail", "2 mails": so many things, by a word that takes an s. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
