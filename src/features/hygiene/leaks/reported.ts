/**
 * The text of a report: a key, an access token, or a pair `name:secret` of a user name or an OAuth
 * client.
 *
 * A report becomes hashes at once; the text itself goes nowhere. Afterwards the hashes are compared
 * with the stored ones: of a key and an access token the whole text, of a pair its two parts, since
 * a name alone is no secret.
 */
import { sha256 } from "../../../kernel/sha256.ts";

/** One reported text, as hashes: what is stored until it is worked off. */
export interface ReportedHashes {
  /** Lower-case hex SHA-256 of the whole text. */
  hash: string;
  /** Of what is before its first colon, and behind it; both "" without one. */
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

/** A secret this short is in any place by chance: the place goes then, not the secret alone. */
const SHORT = 4;
const GONE = "…";

/**
 * A place without the secrets that were found there: those that are reported, and of a pair what is
 * behind its colon, as they are and percent-encoded, and whatever has the form of ours. A place
 * that still holds one in another encoding goes as a whole.
 */
export function withoutSecrets(url: string, reported: readonly string[]): string {
  let safe = url;
  for (const secret of reported.flatMap(secretsOf)) {
    for (const form of [secret, encodeURIComponent(secret.toWellFormed())]) {
      if (secret.length < SHORT && safe.includes(form)) return GONE;
      safe = safe.replaceAll(form, GONE);
    }
    if (decoded(safe).includes(secret)) return GONE;
  }
  return safe.replaceAll(OURS, GONE);
}

function secretsOf(text: string): string[] {
  const whole = text.trim();
  const colon = whole.indexOf(":");
  return [whole, ...colon === -1 ? [] : [whole.slice(colon + 1)]].filter((one) => one !== "");
}

/** As a form or a path is read; what is no encoding of anything stays. */
function decoded(url: string): string {
  return url.replaceAll("+", " ").replaceAll(
    /(?:%[0-9a-f]{2})+/gi,
    (run) =>
      new TextDecoder().decode(
        Uint8Array.from(run.slice(1).split("%"), (pair) => parseInt(pair, 16)),
      ),
  );
}
