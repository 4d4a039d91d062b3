/**
 * What was reported as leaked: a key, an access token, or a pair `name:secret` of a user name or an OAuth client.
 *
 * A report becomes hashes at once; the text itself goes nowhere. Afterwards the hashes are compared with what is
 * stored: of a key and an access token the whole text, of a pair its two parts, since a name alone is no secret.
 */
import { sha256 } from "../../kernel/sha256.ts";

/** One reported text, as hashes: what is stored until it is worked off. */
export interface ReportedHashes {
  /** Lower-case hex SHA-256 of the whole text. */
  hash: string;
  /** Of what stands before its first colon, and behind it; both "" without one. */
  name_hash: string;
  secret_hash: string;
}

/** The hashes of a reported text, blanks around it left out. */
export function hashesOf(text: string): ReportedHashes {
  const whole = text.trim();
  const colon = whole.indexOf(":");
  const [name_hash, secret_hash] = colon === -1
    ? ["", ""]
    : [sha256(whole.slice(0, colon)), sha256(whole.slice(colon + 1))];
  return { hash: sha256(whole), name_hash, secret_hash };
}

/** Our own secrets, wherever they stand in a text. */
const OURS = /kd[at]?_[0-9A-Za-z_]{20,}/g;

/**
 * A place without the secrets that were found there: those that are reported, as they are and percent-encoded, and
 * whatever has the form of ours.
 */
export function withoutSecrets(url: string, reported: readonly string[]): string {
  let safe = url;
  for (const text of reported) {
    const secret = text.trim();
    if (secret === "") continue;
    for (const form of [secret, encodeURIComponent(secret.toWellFormed())]) {
      safe = safe.replaceAll(form, "…");
    }
  }
  return safe.replaceAll(OURS, "…");
}
