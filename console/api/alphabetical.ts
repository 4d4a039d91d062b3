/**
 * The order of two names, whatever their case; accents count for little. Not `localeCompare`, whose
 * first use takes long.
 */
export function alphabetical(a: string, b: string): number {
  const [one, other] = [plain(a), plain(b)];
  return one < other ? -1 : Number(one > other);
}

function plain(name: string): string {
  return name.normalize("NFKD").toLowerCase();
}
