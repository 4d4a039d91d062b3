import { Buffer } from "node:buffer";
import { z } from "zod";
import { changeBy } from "../../calls/change-by.ts";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId, randomBytes } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { emailKey } from "../developers/developer.ts";
import { hiddenInEmail } from "../developers/email-address.ts";
import { keepNonce, redeemNonce } from "./sso.transactions.ts";

const tag = "Developers (classic)";

/** The nonce of the example, as a fresh one looks. */
export const exampleNonce = "S5mXnSSo-nonce-of-the-example-S5mXnSSo9d4Aq";

/** The call of an identity broker before it sends a person back to the portal. */
export const createSsoNonce = operation({
  id: "createSsoNonce",
  method: "POST",
  path: "/api/sso",
  tag,
  summary: "Make a nonce by which a portal signs a developer in, once within 60 seconds",
  description:
    "For the identity broker of the Tyk classic portal, which asks this first at each sign-in; `POST /v1/sso/redeem` gives the developer for it. Only for the portal: any other section is 403.",
  permission: ["act:developer"],
  body: z.object({
    ForSection: z.string().max(100).meta({ description: "`portal`; all others are refused." }),
    EmailAddress: z.string().max(320).optional().meta({
      description: "The developer of the e-mail address that the provider gave.",
    }),
  }).meta({ id: "SsoInput" }),
  response: z.strictObject({
    Status: z.literal("OK"),
    Message: z.literal("SSO Nonce created."),
    Meta: text.meta({ description: "The nonce; the store keeps its hash alone." }),
  }).meta({ id: "SsoNonce" }),
  errors: [...bodyErrors, "sso_not_enabled"],
  example: { ForSection: "portal", EmailAddress: "ada@example.org" },
  serve: async (ctx, { body }) => ({
    Status: "OK" as const,
    Message: "SSO Nonce created." as const,
    Meta: await createNonce(ctx, body),
  }),
});

/** The portal's call that follows. */
export const redeemSsoNonce = operation({
  id: "redeemSsoNonce",
  method: "POST",
  path: "/v1/sso/redeem",
  tag: "Developers",
  summary: "Exchange a nonce of an identity broker for its developer, once",
  description:
    "That is the developer with the nonce's e-mail address at this moment. If there is none, or they are inactive, it is 404 and the nonce is not used up. A second call is answered 410.",
  permission: ["act:developer"],
  body: z.object({ nonce: z.string().min(1).max(100) }).meta({ id: "RedeemSsoInput" }),
  response: z.strictObject({ developer_id: text }).meta({ id: "RedeemedSso" }),
  errors: [...bodyErrors, "not_found", "nonce_gone"],
  example: { nonce: exampleNonce },
  serve: async (ctx, { body }) => ({
    developer_id: await changeBy(ctx, redeemNonce, { hash: sha256(body.nonce) }),
  }),
});

/** How long a nonce represents a person. */
const NONCE_MS = 60_000;

/**
 * Makes a nonce of 256 random bits. Throws `sso_not_enabled` for another section than the portal,
 * and `invalid_input`.
 */
async function createNonce(
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
