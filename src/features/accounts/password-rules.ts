import type { ServiceContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import { isBreached } from "../../kernel/passwords/breached-passwords.ts";
import { isPredictable } from "../../kernel/passwords/predictable.ts";
import { isOfContext } from "../../kernel/passwords/context-words.ts";
import { publicBrand } from "../branding/public-brand.ts";
import { findDeveloper } from "../developers/developer-accounts.store.ts";
import type { Developer } from "../developers/developer.ts";

/** A longer one is refused: no one types it, and a person has to hash it. */
const MOST = 128;

/** The form of a bcrypt hash: its prefix and length. */
const BCRYPT = /^\$2[aby]\$\d\d\$.{53}$/;

/** The known names of a developer. */
export interface Called {
  readonly email?: string | undefined;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

type PasswordContext = Pick<ServiceContext, "storage" | "settings">;

/**
 * Throws `developer_refused` for what can't be a developer's password from now on: too few or more
 * than 128 characters, one of repeated or sequential characters alone, one of the 3,000 commonest
 * that are long enough, one of the breached of KEYDESK_PASSWORD_BREACHES_FILE, one of words of its
 * context alone, or a hash, which anyone who sends it takes for a password. Says nothing of it.
 * Throws `unavailable` where that file can't be read.
 */
export async function refuseWeakPassword(
  ctx: PasswordContext,
  password: string,
  { org_id, id, ...called }: { org_id: string; id?: string | undefined } & Called,
): Promise<void> {
  const { storage: { reader }, settings } = ctx;
  const plain = password.normalize("NFC");
  const reason = await reasonAgainst(plain, settings.leastPassword) ??
    await breach(plain, settings.breachedPasswords);
  if (reason !== undefined) throw refusal(reason);
  const row = id === undefined ? undefined : await findDeveloper(reader, { org_id, id });
  // as: the developers' store writes exactly this.
  const known = row ? JSON.parse(row.document) as Developer : undefined;
  const { name } = await publicBrand(reader, org_id);
  const texts = [name, ...textsOf(known), ...textsOf(called)];
  if (isOfContext(plain, texts)) {
    throw refusal("must not be made of words of this desk, its organisation, or whose it is");
  }
}

function refusal(reason: string): Failure {
  return new Failure("developer_refused", { details: [`password: ${reason}`] });
}

/** Addresses and names; what else is known of them may be any word. */
function textsOf(called: Called | undefined): string[] {
  const { name } = called?.fields ?? {};
  return [called?.email ?? "", typeof name === "string" ? name : ""];
}

async function reasonAgainst(password: string, least: number): Promise<string | undefined> {
  const { length } = [...password];
  // The words that clients of the older interface look for.
  if (length < least) return `String length must be greater than or equal to ${least}`;
  if (length > MOST) return `String length must be less than or equal to ${MOST}`;
  if (BCRYPT.test(password)) return "must be the password itself, not a hash of it";
  if (isPredictable(password)) return "must not be made of repeated or sequential characters";
  // Loaded with the first that a person chooses.
  const { commonPasswords } = await import("../../kernel/passwords/common-passwords.ts");
  if (commonPasswords.has(password.toLowerCase())) return "must not be one of the commonest";
  return undefined;
}

async function breach(password: string, file: string): Promise<string | undefined> {
  if (file === "") return undefined;
  const is = await isBreached(file, password).catch((error: unknown) => {
    throw new Failure("unavailable", { cause: error });
  });
  return is ? "must not be one that was in a breach" : undefined;
}
