/** A sentence where others than the owner may read or write a file, with the mode to give it. */
export function openToOthers(file: string, mode: number | null, wanted = "600"): string[] {
  if (mode === null || (mode & 0o077) === 0) return [];
  const modeText = (mode & 0o777).toString(8);
  return [`${file} is open to others than its owner (mode ${modeText}): chmod ${wanted} ${file}`];
}
