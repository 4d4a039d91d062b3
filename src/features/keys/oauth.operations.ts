import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { operation } from "../../http/operation.ts";
import { basicCredentials, type ClientCredentials } from "../../kernel/basic-credentials.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { gatewayConditions } from "./gateway-conditions.ts";
import { CONDITIONAL, conditionalHash } from "./key-conditions.ts";
import { namesOfPlans } from "../plans/plan-counts.store.ts";
import { findClients, findToken, type OAuthClient } from "./oauth.store.ts";
import { issueTokenTo, TOKEN } from "./oauth-token.service.ts";
import { revokeTransaction } from "./oauth.transactions.ts";

const tag = "OAuth";

/** The members of a client's body without `Authorization: Basic`. */
const clientMembers = {
  client_id: z.string().max(255).optional(),
  client_secret: z.string().max(1024).optional(),
};

const tokenMembers = {
  token: z.string().max(4096),
  token_type_hint: z.string().optional(),
};

/** The client of the examples; no server knows it. */
const exampleClient = {
  client_id: "0123456789abcdef0123456789abcdef",
  client_secret: "the-secret-that-the-approval-answered",
};

const oAuthToken = z.strictObject({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.int(),
}).meta({ id: "OAuthToken" });

/** RFC 6749, 4.4. */
export const issueToken = operation({
  id: "issueToken",
  method: "POST",
  path: "/oauth/token",
  tag,
  summary:
    "Get a token for an OAuth client, which authenticates with Basic or in the body (RFC 6749)",
  description:
    "For clients that an approval made. The token is valid for the client's plans until it expires. Too many wrong secrets are answered 429.",
  permission: "public",
  body: z.object({
    grant_type: z.string(),
    scope: z.string().optional(),
    ...clientMembers,
  }),
  bodyEncoding: "form",
  response: oAuthToken,
  errors: [
    "oauth_invalid_client",
    "oauth_unsupported_grant_type",
    "oauth_invalid_scope",
    "too_many_requests",
  ],
  example: { grant_type: "client_credentials", ...exampleClient },
  async serve(ctx, call) {
    const { body } = call;
    const caller = {
      authorization: call.headers.get("authorization"),
      address: ctx.clientAddresses.of(call),
    };
    if (body.grant_type !== "client_credentials") throw new Failure("oauth_unsupported_grant_type");
    const { client_id, client } = await authenticate(ctx, body, caller);
    if (body.scope !== undefined) throw new Failure("oauth_invalid_scope");
    const now = ctx.clock.now();
    const { org_id, key_id } = client;
    const { access_token, ends } = await issueTokenTo(ctx, { org_id, key_id, client_id });
    return {
      access_token,
      token_type: "Bearer" as const,
      expires_in: Math.floor((ends - now) / 1000),
    };
  },
});

/** Of a token that is not good, for whatever reason. */
const inactive = { active: false as const };

/** RFC 7662, 2.2. */
const introspection = z.union([
  z.strictObject({
    active: z.literal(true),
    client_id: z.string().optional(),
    token_type: z.literal("Bearer"),
    exp: z.int(),
    iat: z.int(),
    sub: z.string().optional(),
    key_id: z.string(),
    plans: z.array(z.string()),
  }),
  z.strictObject({ active: z.literal(false) }),
]).meta({ id: "OAuthIntrospection" });

/** RFC 7662. */
export const introspectToken = operation({
  id: "introspectToken",
  method: "POST",
  path: "/oauth/introspect",
  tag,
  summary: "Whether a token is good, and whose it is (RFC 7662)",
  description: "For gateways. An invalid token, for whatever reason, is answered `active: false`.",
  permission: ["verify"],
  clientAuthentication: true,
  body: z.object({
    ...tokenMembers,
    client_id: z.string().max(255).optional().meta({
      description: "Anything: it is not looked at.",
    }),
    client_secret: z.string().max(4096).optional()
      .meta({ description: "An access token, if there is no `Authorization`." }),
  }),
  bodyEncoding: "form",
  response: introspection,
  errors: ["oauth_invalid_client"],
  example: { token: "kdt_…" },
  async serve(ctx, { body: { token } }) {
    if (!TOKEN.test(token)) return inactive;
    const hash = sha256(token);
    const row = await findToken(ctx.storage.reader, {
      org_id: ctx.principal.org_id,
      hash,
      conditional: conditionalHash(hash),
    });
    const now = ctx.clock.now();
    if (!row || row.state !== "active" || hasEnded(row.token_expires_at, now)) {
      return inactive;
    }
    if (hasEnded(row.expires_at, now)) return inactive;
    if (await ctx.damages.refuses("credentials", row, row.key_id)) return inactive;
    const conditions = gatewayConditions(row);
    // RFC 7662 knows no visitor: of a key that asks for their address no one can say that it opens.
    if (conditions === undefined || conditions?.addresses) return inactive;
    // as: insertCredential is given exactly this.
    const plans = JSON.parse(row.plans) as string[];
    if (!await opensAnything(ctx, plans)) return inactive;
    return {
      active: true as const,
      ...row.client_id === null ? {} : { client_id: row.client_id },
      token_type: "Bearer" as const,
      exp: inSeconds(row.token_expires_at),
      iat: inSeconds(row.token_issued_at),
      ...row.developer_id === "" ? {} : { sub: row.developer_id },
      key_id: row.key_id,
      plans,
    };
  },
});

/** RFC 7009. */
export const revokeToken = operation({
  id: "revokeToken",
  method: "POST",
  path: "/oauth/revoke",
  tag,
  summary: "End a token of the client that calls; one that is no token of its own is no error",
  description: "The client authenticates as for a token.",
  permission: "public",
  body: z.object({ ...tokenMembers, ...clientMembers }),
  bodyEncoding: "form",
  response: z.strictObject({}),
  errors: ["oauth_invalid_client", "too_many_requests"],
  example: { token: "kdt_…", ...exampleClient },
  async serve(ctx, call) {
    await revoke(ctx, call.body, {
      authorization: call.headers.get("authorization"),
      address: ctx.clientAddresses.of(call),
    });
    return {};
  },
});

/** The caller of an endpoint at which clients authenticate themselves. */
interface Caller {
  /** The `Authorization` header. */
  authorization: string | null;
  /** As ClientAddresses gives it. */
  address: string | undefined;
}

interface SentClient {
  client_id?: string | undefined;
  client_secret?: string | undefined;
}

/**
 * Whether anybody knows one of these plans, or it does not matter. As verification decides, but by
 * the store.
 */
async function opensAnything(ctx: RequestContext, plans: readonly string[]): Promise<boolean> {
  if (ctx.settings.unknownPlan === "allow" || plans.length === 0) return true;
  return (await namesOfPlans(ctx.storage.reader, ctx.principal.org_id, plans)).size > 0;
}

/** RFC 7009: ends a token of the caller. Throws `oauth_invalid_client`, `too_many_requests`. */
async function revoke(
  ctx: RequestContext,
  body: SentClient & { token: string },
  caller: Caller,
): Promise<void> {
  const { client } = await authenticate(ctx, body, caller);
  if (!TOKEN.test(body.token)) return;
  const { org_id, key_id } = client;
  const now = ctx.clock.now();
  await ctx.storage.commit(revokeTransaction, { org_id, key_id, hash: sha256(body.token), now });
}

/**
 * The client that a call comes from: active, and its secret right. A wrong one is counted; a right
 * one always passes.
 */
async function authenticate(
  ctx: RequestContext,
  body: SentClient,
  { authorization, address }: Caller,
): Promise<{ client_id: string; client: OAuthClient }> {
  const { client_id, client_secret } = presentedClient(authorization, body);
  const key_id = sha256(client_id);
  const secret_hash = sha256(client_secret);
  const credential = sha256(`${key_id} ${secret_hash}`);
  if (!ctx.attempts.isWrong("client", credential)) {
    const known = await findClients(ctx.storage.reader, { key_id });
    const client = rightOne(known, secret_hash, ctx.clock.now());
    const isDamaged = client && await ctx.damages.refuses("credentials", client, client.key_id);
    if (client && !isDamaged) return { client_id, client };
  }
  throw ctx.attempts.failed("client", { address, name: client_id, credential }) ??
    new Failure("oauth_invalid_client");
}

/** Compared with where no one has the id: the same work, and no text has this hash. */
const NO_CLIENT: Pick<OAuthClient, "secret_hash"> = { secret_hash: "0".repeat(64) };

/** Looks at every one, so the time tells neither whether the id exists nor which was meant. */
function rightOne(
  clients: readonly OAuthClient[],
  secret_hash: string,
  now: number,
): OAuthClient | undefined {
  const plain = Buffer.from(secret_hash);
  const conditional = Buffer.from(conditionalHash(secret_hash));
  let found: OAuthClient | undefined;
  for (const client of clients.length > 0 ? clients : [NO_CLIENT]) {
    const stored = Buffer.from(client.secret_hash ?? NO_CLIENT.secret_hash ?? "");
    const isConditional = "algorithm" in client && client.algorithm === CONDITIONAL;
    const presented = isConditional ? conditional : plain;
    const isRight = stored.length === presented.length && timingSafeEqual(stored, presented);
    if (!("state" in client)) continue;
    const isGood = client.state === "active" && !hasEnded(client.expires_at, now);
    if (isRight && isGood) found ??= client;
  }
  return found;
}

function hasEnded(end: string | null, now: number): boolean {
  return end !== null && Date.parse(end) <= now;
}

function inSeconds(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 1000);
}

/**
 * The client's credentials, out of the `Authorization` header or the body (RFC 6749, 2.3.1). Throws
 * `oauth_invalid_client` where there are none, `invalid_input` where both stand there.
 */
function presentedClient(
  authorization: string | null,
  body: { client_id?: string | undefined; client_secret?: string | undefined },
): ClientCredentials {
  if (authorization === null) {
    const { client_id, client_secret } = body;
    if (client_id === undefined || client_secret === undefined) {
      throw new Failure("oauth_invalid_client");
    }
    return { client_id, client_secret };
  }
  const presented = basicCredentials(authorization);
  if (!presented?.client_id || !presented.client_secret) throw new Failure("oauth_invalid_client");
  if (body.client_secret !== undefined) {
    throw refused("client_secret: must not stand in the body beside the Authorization header");
  }
  if (body.client_id !== undefined && body.client_id !== presented.client_id) {
    throw refused("client_id: is not the one of the Authorization header");
  }
  return presented;
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
