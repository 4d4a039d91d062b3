import { base62Checksum } from "../../kernel/base62-checksum.ts";

/** The form of a presented key: right, mistyped, or another one. */
type KeyForm = "well-formed" | "typo" | "other";

/** So many characters of 62 are 256 bits. */
export const RANDOM_LENGTH = 43;

/** A text with this prefix is meant as a key of Keydesk. */
const OURS = /^kd_[a-z0-9]{1,12}_/;
const WHOLE = /^(kd_[a-z0-9]{1,12}_)([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;

/**
 * A key `kd_<env>_<random>_<checksum>`; `env` matches `[a-z0-9]{1,12}`, `random` is RANDOM_LENGTH
 * characters.
 */
export function kdKey(env: string, random: string): string {
  const body = `kd_${env}_${random}`;
  return `${body}_${base62Checksum(body)}`;
}

/**
 * Whether a presented key can be one of the kd form: `typo` begins like one and can't have been
 * minted, so no store needs to be asked; `other` is of another form, about which this says nothing.
 */
export function checkKeyForm(text: string): KeyForm {
  if (!OURS.test(text)) return "other";
  const match = WHOLE.exec(text);
  return match && base62Checksum(`${match[1]}${match[2]}`) === match[3] ? "well-formed" : "typo";
}

/** Whether this has the form of a presented key, mistyped ones included, and so is no key id. */
export function isOfPlainForm(text: string): boolean {
  return checkKeyForm(text) !== "other" || innerIdOf(text) !== undefined;
}

/**
 * The mask of a key in lists: enough to tell it from others, eight characters at the most. Legacy
 * keys all begin and end alike, so theirs goes by the inner id; a short key, which eight characters
 * would reveal, by its hash. So does one whose ends are no plain characters: a mask appears in
 * lists, files, mails and terminals.
 */
export function maskOf(key: string, key_id: string): string {
  const kd = WHOLE.exec(key);
  if (kd) return `${kd[1]}${shortened(kd[2] ?? "")}`;
  const label = innerIdOf(key) ?? key;
  return shortened(label.length >= LONGEST_WHOLE && PLAIN_ENDS.test(label) ? label : key_id);
}

/** A text of which only the ends are seen. */
export function shortened(text: string): string {
  return `${text.slice(0, 4)}…${text.slice(-4)}`;
}

/** A key of fewer characters is not shown in part. */
const LONGEST_WHOLE = 24;

/** Ends of visible ASCII: neither a control character nor half of a character gets out. */
const PLAIN_ENDS = /^[!-~]{4}[^]*[!-~]{4}$/;

/** The `id` inside a legacy key, or undefined where it is none. */
function innerIdOf(key: string): string | undefined {
  if (!key.startsWith("eyJ")) return undefined;
  try {
    const { id } = JSON.parse(atob(key));
    return typeof id === "string" && id.length >= LONGEST_WHOLE ? id : undefined;
  } catch {
    return undefined;
  }
}
