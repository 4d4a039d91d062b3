import { Buffer } from "node:buffer";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId, randomBytes } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { emailKey } from "../developers/developer.ts";
import { hiddenInEmail } from "../developers/email-address.ts";
import { keepNonce, redeemNonce } from "./sso.transactions.ts";

/** How long a nonce stands for somebody. */
const NONCE_MS = 60_000;

/**
 * Makes a nonce of 256 random bits. Throws `sso_not_enabled` for another section than the portal,
 * and `invalid_input`.
 */
export async function createNonce(
  ctx: RequestContext,
  { ForSection, EmailAddress = "" }: { ForSection: string; EmailAddress?: string | undefined },
): Promise<string> {
  if (ForSection !== "portal") throw new Failure("sso_not_enabled");
  const email_key = emailKey(EmailAddress);
  const problem = email_key === "" ? "must not be empty" : hiddenInEmail(EmailAddress);
  if (problem !== undefined) {
    const message = `EmailAddress: ${problem}`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const text = Buffer.from(randomBytes(32)).toString("base64url");
  const nonce = {
    id: newId(actor.now),
    hash: sha256(text),
    email_key,
    created_at: toTimestamp(actor.now),
    expires_at: toTimestamp(actor.now + NONCE_MS),
    token_id: actor.token_id,
  };
  await ctx.storage.commit(keepNonce, { actor, nonce });
  return text;
}

/** The developer whom a nonce stands for, once. Throws `nonce_gone` and `not_found`. */
export async function redeem(ctx: RequestContext, nonce: string): Promise<string> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await ctx.storage.commit(redeemNonce, { actor, hash: sha256(nonce) });
}
