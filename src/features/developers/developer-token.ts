import { base62Checksum } from "../../kernel/base62-checksum.ts";
import { randomAlphanumeric } from "../../kernel/ids.ts";

/** How many tokens a developer has at once that are not over. */
export const MOST_DEVELOPER_TOKENS = 50;

/** So many characters of 62 are 256 bits. */
const RANDOM_LENGTH = 43;
const PREFIX = "kdd_";
const WHOLE = /^(kdd_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

/** A fresh token of a developer's own, `kdd_<random>_<checksum>`: 256 bits from the CSPRNG. */
export function newDeveloperToken(): string {
  const body = `${PREFIX}${randomAlphanumeric(RANDOM_LENGTH)}`;
  return `${body}_${base62Checksum(body)}`;
}

/** Whether a text begins like such a token. */
export function isOfDevelopers(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Whether a text begins like such a token and can't have been made as one. */
export function isMistypedToken(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const match = WHOLE.exec(text);
  return !match || base62Checksum(match[1] ?? "") !== match[2];
}
