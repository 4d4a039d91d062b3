/** Scripts whose letters are taken for one another's. */
const SCRIPTS = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee"];

/**
 * The scripts that stand beside each other within one part of an address, such as a Cyrillic "а" in
 * "pаypal".
 */
export function mixedScripts(address: string): string[] {
  return address.split(/[@.]/)
    .map((part) => SCRIPTS.filter((script) => new RegExp(`\\p{sc=${script}}`, "u").test(part)))
    .find((scripts) => scripts.length > 1) ?? [];
}
