import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { isForeignHash } from "../../kernel/passwords/foreign-hash.ts";
import type { Passwords } from "../../kernel/passwords/passwords.ts";
import {
  findDeveloperByEmail,
  greatestForeignCost,
} from "../developers/developer-accounts.store.ts";
import { emailKey } from "../developers/developer.ts";
import { noteSignIn } from "./developer-accounts.transactions.ts";

/** The context of a service that hashes and checks passwords. */
export interface WithPasswords {
  readonly passwords: Passwords;
}

/** The context of developers' accounts. */
export type AccountContext = RequestContext & WithPasswords;

/**
 * The id of the developer whose e-mail address and password these are. Throws `wrong_credentials`,
 * after the same work, for an unknown address, a wrong password, none, and an inactive developer;
 * `too_many_requests` while `address`, the visitor's, or the user name has to wait.
 */
export async function verifyCredentials(
  ctx: AccountContext,
  input: { username: string; password: string },
  address: string | undefined,
): Promise<string> {
  const { storage, principal } = ctx;
  const key = emailKey(input.username);
  const attempt = ctx.attempts.begin({ address, name: `${principal.org_id} ${key}` });
  let known = "";
  try {
    const row = await findDeveloperByEmail(storage.reader, {
      org_id: principal.org_id,
      email_key: key,
    });
    known = row?.id ?? "";
    // Asked for anyone who signs in: else the time would say who has a hash of bcrypt, and so who
    // exists.
    const cost = await greatestForeignCost(storage.reader, principal.org_id);
    const matches = await ctx.passwords.matches(input.password, row?.password_hash ?? null, cost);
    if (!row || !matches) throw new Failure("wrong_credentials");
    const rehashed = await rehashedOf(ctx, input.password, row.password_hash);
    const actor = actorOf(principal, ctx.clock.now());
    if (!await storage.commit(noteSignIn, { actor, id: row.id, rehashed })) {
      throw new Failure("wrong_credentials");
    }
    attempt.succeeded();
    return row.id;
  } catch (error) {
    // The store was unavailable or too many passwords were being hashed: nothing was sent.
    if (!(error instanceof Failure && error.code === "wrong_credentials")) attempt.withdrawn();
    else {
      attempt.failed();
      ctx.notes.refusedDeveloper(principal, known);
    }
    throw error;
  }
}

/**
 * Our own hash in the place of one that an import brought, now that the password is at hand; null:
 * it stays.
 */
async function rehashedOf(
  ctx: AccountContext,
  password: string,
  stored: string | null,
): Promise<{ from: string; to: string } | null> {
  if (stored === null || !isForeignHash(stored)) return null;
  try {
    return { from: stored, to: await ctx.passwords.hash(password) };
  } catch (error) {
    // Too many wait: anyone who has signed in is let in, and the next sign-in does it.
    if (error instanceof Failure && error.code === "too_many_requests") return null;
    throw error;
  }
}
