/** A text as one word of a POSIX shell, whatever it holds. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
