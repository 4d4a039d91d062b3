import { Failure } from "../../kernel/failure.ts";

/** A longer one is refused: nobody types it, and somebody has to hash it. */
const MOST = 128;

/** What a hash that bcrypt made begins with, and how long it is. */
const BCRYPT = /^\$2[aby]\$\d\d\$.{53}$/;

/**
 * Throws `developer_refused` for what can't be a developer's password from now on: fewer characters than `least` or
 * more than 128, one of the 3,000 commonest that are long enough, or a hash, which whoever sends it takes for a password. Says nothing of it.
 */
export async function refuseWeakPassword(password: string, least: number): Promise<void> {
  const reason = await reasonAgainst(password.normalize("NFC"), least);
  if (reason !== undefined) {
    throw new Failure("developer_refused", { details: [`password: ${reason}`] });
  }
}

async function reasonAgainst(password: string, least: number): Promise<string | undefined> {
  const { length } = [...password];
  // The words that clients of the older interface look for.
  if (length < least) return `String length must be greater than or equal to ${least}`;
  if (length > MOST) return `String length must be less than or equal to ${MOST}`;
  if (BCRYPT.test(password)) return "must be the password itself, not a hash of it";
  // Loaded with the first that somebody chooses.
  const { commonPasswords } = await import("../../kernel/passwords/common-passwords.ts");
  if (commonPasswords.has(password.toLowerCase())) return "must not be one of the commonest";
  return undefined;
}
