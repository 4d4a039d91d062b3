import { z } from "zod";
import { changeBy } from "../../../calls/change-by.ts";
import type { RequestContext } from "../../../calls/context.ts";
import { actingCall, actorOf } from "../../../calls/principal.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { permissions } from "../../../contract/permissions.ts";
import { text } from "../../../contract/values.ts";
import type { AnyCall } from "../../../http/call.ts";
import { operation } from "../../../http/operation.ts";
import {
  isSecureCall,
  requireSameOrigin,
  sessionCookie,
  sessionSecretOf,
} from "../../../http/session-cookie.ts";
import { Answer } from "../../../kernel/answer.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { LONGEST_LOGOUT_TOKEN } from "../../../kernel/input-limits.ts";
import { requireUnmanaged } from "../identity-link.ts";
import { requireOpensAll, requireWhole } from "../passkeys.service.ts";
import { administrationOf } from "../people.service.ts";
import { sessionOf } from "../session-of.ts";
import { FRESH_MS } from "../session.ts";
import { session } from "../sessions.contract.ts";
import { beginning, type Begun, begun, type SigningBrowser } from "../sessions.service.ts";
import { browserOf } from "../signing-browser.ts";
import { accountBehind, logoutBehind, type Way, wayTo } from "./errands.service.ts";
import { endByLogout, takeAwayIdentity } from "./identities.transactions.ts";
import { openedProvider, type Provider, providerOf } from "./identity-provider.ts";
import { findProvider, findProviderById } from "./identity.store.ts";
import type { ProvedAccount } from "./provider-answer.ts";
import { reasonOfGroups } from "./provider-refusal.ts";
import { identityList, ownIdentity } from "./provider-sign-in.contract.ts";
import { accountsOf, NOT_FRESH } from "./provider-sign-in.service.ts";
import { addIdentity, signInByProvider } from "./provider-sign-in.transactions.ts";
import { notifyOfProvider } from "./provider-states.service.ts";
import { AWAY_MS } from "./provider-ticket.ts";

const tag = "Sign-in";

/** A provider's answer, in examples. */
export const exampleAnswer = "code=CODE-OF-THE-PROVIDER&state=STATE-OF-THIS-BROWSER";

/** A provider's logout token, in examples. */
export const exampleLogoutToken = "LOGOUT-TOKEN-OF-THE-PROVIDER";

const ticket = {
  "set-cookie":
    "The cookie that binds the way there and back to this browser: `__Host-keydesk-provider` over https, else `keydesk_provider`; HttpOnly, SameSite=Strict, ten minutes.",
};

const away = z.strictObject({
  url: text.meta({ description: "The address to which the browser goes now." }),
}).meta({ id: "WayToProvider" });

const answer = z.string().trim().min(1).max(8192).meta({
  description: "The query (behind `?`) of the address that the browser came back to.",
});

/** To the provider. */
export const beginProviderSignIn = operation({
  id: "beginProviderSignIn",
  method: "POST",
  path: "/v1/session/provider/{id}",
  tag,
  summary: "Begin to sign a browser in by an identity provider: where it goes for that",
  description:
    "It comes back to `/console/from/{id}`, whose query goes to `POST /v1/session/provider/{id}/answer` within ten minutes. With `fresh` the provider signs its person in again.",
  permission: "public",
  body: z.object({ fresh: z.boolean().default(false) }).meta({ id: "ProviderSignInInput" }),
  answerHeaders: ticket,
  response: away,
  errors: [
    ...bodyErrors,
    "not_found",
    "csrf_refused",
    "provider_away",
    "providers_unavailable",
    "too_many_requests",
  ],
  example: { fresh: false },
  async serve(ctx: RequestContext, call) {
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    const { params, body } = call;
    return onTheWay(ctx, call, await beginSignIn(ctx, params.id, body, browserOf(ctx, call)));
  },
});

/** And back. */
export const finishProviderSignIn = operation({
  id: "finishProviderSignIn",
  method: "POST",
  path: "/v1/session/provider/{id}/answer",
  tag,
  summary: "Sign a browser in that came back from an identity provider; sets the session's cookie",
  description:
    "Issuer and subject alone identify the account. `no_group_opens`: none of the person's groups gives anything here; permissions that they had by groups are gone. Only administrators see why a sign-in was refused: in the audit log, in the server's log, and as `last_refused` of the provider.",
  permission: "public",
  body: z.object({ answer }).meta({ id: "ProviderAnswerInput" }),
  answerHeaders: {
    "set-cookie":
      "The browser's session: `__Host-keydesk` over https, else `keydesk_session`; HttpOnly, SameSite=Strict.",
  },
  response: session,
  errors: [
    ...bodyErrors,
    "not_authorised",
    "csrf_refused",
    "groups_incomplete",
    "identity_unknown",
    "last_administrator",
    "no_group_opens",
    "provider_away",
    "too_many_requests",
  ],
  example: { answer: exampleAnswer },
  async serve(ctx: RequestContext, call) {
    // Else another site could sign its visitor in as a person of its choice.
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    const { params, body: { answer } } = call;
    const { session, secret, lifeMs } = await finishSignIn(ctx, params.id, answer, {
      ...browserOf(ctx, call),
      ticket: ticketOf(ctx, call),
    });
    return new Answer(session, {
      "set-cookie": sessionCookie(secret, lifeMs, isSecureCall(ctx, call)),
    });
  },
});

/** The provider ends what it began. */
export const endByProvider = operation({
  id: "endByProvider",
  method: "POST",
  path: "/v1/session/provider/{id}/logout",
  tag,
  summary: "End sessions that began with an identity provider, as it says (back-channel logout)",
  description:
    "OpenID Connect Back-Channel Logout 1.0: for the provider, which signs the token. It counts once.",
  permission: "public",
  body: z.object({ logout_token: z.string().min(1).max(LONGEST_LOGOUT_TOKEN) }),
  bodyEncoding: "form",
  response: z.strictObject({ ended: z.int() }).meta({ id: "EndedByProvider" }),
  errors: [...bodyErrors, "logout_refused", "provider_away", "too_many_requests"],
  example: { logout_token: exampleLogoutToken },
  async serve(ctx: RequestContext, call) {
    const address = ctx.clientAddresses.of(call);
    const { params, body } = call;
    const provider = await providerById(ctx, params.id);
    const logout = await logoutBehind(ctx, provider, body.logout_token, address);
    const input = { logout, now: ctx.clock.now(), call: actingCall(ctx.principal) };
    return { ended: await ctx.storage.commit(endByLogout, input) };
  },
});

const providerClientKeys = z.strictObject({
  keys: z.array(z.strictObject({
    kty: text,
    n: text,
    e: text,
    kid: text,
    alg: text,
    use: text,
  })),
}).meta({ id: "ProviderClientKeys" });

/** By what a provider checks who calls. */
export const getProviderKeys = operation({
  id: "getProviderKeys",
  method: "GET",
  path: "/v1/session/provider/{id}/jwks",
  tag,
  summary: "Read the public key by which Keydesk proves itself to an identity provider (RFC 7517)",
  description: "None but of a provider with `private_key_jwt`. Anybody may read it.",
  permission: "public",
  response: providerClientKeys,
  errors: ["not_found"],
  async serve({ storage: { reader }, sealer }, { params: { id } }) {
    const row = await findProviderById(reader, { id });
    const provider = row && openedProvider(sealer, row);
    if (!provider) throw new Failure("not_found");
    const { client_key: key } = provider.terms;
    if (key === null) return { keys: [] };
    const { n = "", e = "", kid } = key;
    return { keys: [{ kty: "RSA", n, e, kid, alg: "RS256", use: "sig" }] };
  },
});

/** All of them. */
export const listIdentities = operation({
  id: "listIdentities",
  method: "GET",
  path: "/v1/identities",
  tag,
  summary: "List the accounts at identity providers that sign the caller in, the oldest first",
  description:
    "And the providers at which the caller can link one; none for whom a provider added.",
  permission: permissions,
  withinScope: true,
  response: identityList,
  errors: [],
  serve: (ctx) => accountsOf(ctx, ctx.principal.user_id),
});

/** To the provider, signed in. */
export const beginIdentity = operation({
  id: "beginIdentity",
  method: "POST",
  path: "/v1/identity-providers/{id}/link",
  tag,
  summary: "Begin to link an account at an identity provider: where the browser goes for that",
  description:
    "The account then signs in the person of this session. A session with fewer permissions than its person can't link any, nor can a person whom a provider added.",
  permission: permissions,
  withinScope: true,
  needsFreshSignIn: true,
  answerHeaders: ticket,
  response: away,
  errors: [
    "not_found",
    "added_by_provider",
    "provider_away",
    "providers_unavailable",
    "session_opens_less",
  ],
  async serve(ctx: RequestContext, call) {
    const session = sessionOf(ctx.principal).id;
    await requireOpensAll(ctx);
    const { storage: { reader }, sealer, principal: { org_id, user_id } } = ctx;
    await requireUnmanaged(reader, sealer, { org_id, user_id });
    const provider = await ownProvider(ctx, call.params.id);
    const back = comesBack(ctx, call.headers.get("host"));
    // Asked again, whoever is signed in there: it may be another person's browser there.
    return onTheWay(ctx, call, await wayTo(ctx, provider, { session }, back, true));
  },
});

/** And back. */
export const createIdentity = operation({
  id: "createIdentity",
  method: "POST",
  path: "/v1/identity-providers/{id}/link/answer",
  tag,
  summary: "Link the account that the browser came back with from an identity provider",
  description:
    "To the session that went there, within ten minutes, and if the provider has just signed its person in again.",
  permission: permissions,
  withinScope: true,
  body: z.object({ answer }).meta({ id: "IdentityAnswerInput" }),
  response: ownIdentity,
  errors: [
    ...bodyErrors,
    "not_found",
    "added_by_provider",
    "identity_taken",
    "not_authorised",
    "provider_away",
    "session_opens_less",
  ],
  example: { answer: exampleAnswer },
  serve(ctx: RequestContext, call) {
    const from = { ticket: ticketOf(ctx, call), host: call.headers.get("host") };
    return finishLink(ctx, call.params.id, call.body.answer, from);
  },
});

/** One less. */
export const deleteIdentity = operation({
  id: "deleteIdentity",
  method: "DELETE",
  path: "/v1/identities/{id}",
  tag,
  summary: "Unlink one of the caller's own accounts: it no longer signs in",
  description:
    "Other sessions that began with it end. The account by which a provider added its person stays.",
  permission: permissions,
  withinScope: true,
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true) }).meta({ id: "IdentityRemoved" }),
  errors: ["not_found", "added_by_provider"],
  async serve(ctx, { params: { id } }) {
    // Not by a session that opens less than all.
    await requireWhole(ctx);
    await changeBy(ctx, takeAwayIdentity, { session_id: sessionOf(ctx.principal).id, id });
    return { removed: true as const };
  },
});

function ticketOf(ctx: RequestContext, call: AnyCall): string | undefined {
  return sessionSecretOf(call.headers, isSecureCall(ctx, call), "provider");
}

function onTheWay(ctx: RequestContext, call: AnyCall, { url, ticket }: Way) {
  const cookie = sessionCookie(ticket, AWAY_MS, isSecureCall(ctx, call), "provider");
  return new Answer({ url }, { "set-cookie": cookie });
}

/**
 * The address at which a browser signs in. Throws `not_found`, `provider_away`,
 * `providers_unavailable`, and `too_many_requests` if its address was wrong often.
 */
async function beginSignIn(
  ctx: RequestContext,
  id: string,
  { fresh }: { fresh: boolean },
  from: Pick<SigningBrowser, "counted" | "host">,
): Promise<Way> {
  const provider = await providerById(ctx, id);
  if (!provider) {
    throw ctx.attempts.failed("access", { address: from.counted }) ?? new Failure("not_found");
  }
  return await wayTo(ctx, provider, "sign-in", comesBack(ctx, from.host), fresh);
}

async function providerById(
  { storage: { reader }, sealer }: RequestContext,
  id: string,
): Promise<Provider | undefined> {
  const row = await findProviderById(reader, { id });
  return providerOf(sealer, row, "people");
}

/** Signs in anyone who came back. Throws what the endpoint lists. */
async function finishSignIn(
  ctx: RequestContext,
  id: string,
  answer: string,
  from: SigningBrowser,
): Promise<Begun> {
  // Before anybody is asked: the asking is work for anyone who has failed often.
  if (ctx.attempts.mustWait("access", { address: from.counted })) throw refusal(ctx, from.counted);
  const provider = await providerById(ctx, id);
  if (!provider) throw refusal(ctx, from.counted);
  const proof = await accountBehind(
    ctx,
    provider,
    "sign-in",
    back(ctx, answer, from),
    from.counted,
  );
  if (!proof || "refused" in proof) throw refusal(ctx, from.counted, { provider, ...proof });
  const { account } = proof;
  const { actor: { now }, longestMs, passkeyHost } = administrationOf(ctx);
  const { secret, input } = beginning(ctx, from);
  const ids = { person: newId(now), identity: newId(now) };
  const signedIn = await ctx.storage.commit(signInByProvider, {
    ...input,
    account,
    ids,
    longestMs,
    passkeyHost,
  }).catch(async (error) => {
    throw await noted(ctx, provider, account, error);
  });
  if (signedIn === null) {
    throw await noted(ctx, provider, account, new Failure("no_group_opens"));
  }
  const isFresh = Date.parse(account.proved_at) + FRESH_MS > now;
  const made = { id: input.session.id, secret, opener: "provider" as const, isFresh };
  return await begun(ctx, signedIn, made);
}

function comesBack({ settings: { publicUrl } }: RequestContext, host: string | null) {
  return { publicUrl, host };
}

function back(
  ctx: RequestContext,
  answer: string,
  { ticket, host }: Pick<SigningBrowser, "ticket" | "host">,
) {
  return { ...comesBack(ctx, host), answer, ticket };
}

/** `of`: by which provider, and why, where that is known. */
function refusal(
  ctx: RequestContext,
  address: string | undefined,
  of?: { provider: Provider; refused?: string },
): Failure {
  const failure = ctx.attempts.failed("access", { address }) ?? new Failure("not_authorised");
  const limited = failure.code === "too_many_requests";
  const what = { path: ANSWER, by: "provider", limited };
  if (of?.refused === undefined) ctx.notes.refusedSignIn(ctx.principal, what);
  else {
    const { provider: { org_id, id }, refused: reason } = of;
    ctx.notes.refusedSignIn({ ...ctx.principal, org_id }, { ...what, provider: { id, reason } });
  }
  return failure;
}

const ANSWER = "/v1/session/provider/{id}/answer";

/** The reasons that refuse a person with a proved account. */
const REFUSALS: Readonly<Record<string, string>> = {
  not_authorised: "the answer was used before, or its person is deactivated or suspended here",
  identity_unknown: "no person here has this account, and the provider adds none",
  last_administrator: "the groups would leave no administrator",
};

/** A refusal after the proof, for which the provider and not the address is to blame; noted. */
async function noted(
  ctx: RequestContext,
  provider: Provider,
  { groups, groups_answered }: ProvedAccount,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  const isOfGroups = error.code === "no_group_opens" || error.code === "groups_incomplete";
  const reason = isOfGroups
    ? reasonOfGroups(provider.terms, groups_answered, groups ?? [])
    : REFUSALS[error.code];
  if (reason === undefined) return error;
  const { org_id, id } = provider;
  const what = { path: ANSWER, by: "provider", provider: { id, reason } };
  ctx.notes.refusedSignIn({ ...ctx.principal, org_id }, what);
  await notifyOfProvider(ctx, provider, { refused: { reason, by: "provider" } });
  return error;
}

async function ownProvider(ctx: RequestContext, id: string): Promise<Provider> {
  const { storage: { reader }, sealer, principal: { org_id } } = ctx;
  const row = await findProvider(reader, { org_id, id });
  const provider = providerOf(sealer, row, "people");
  if (!provider) throw new Failure("not_found");
  return provider;
}

/** Links the account that the browser came back with. Throws what the endpoint lists. */
async function finishLink(
  ctx: RequestContext,
  id: string,
  answer: string,
  from: Pick<SigningBrowser, "ticket" | "host">,
): Promise<z.output<typeof ownIdentity>> {
  const session = sessionOf(ctx.principal).id;
  await requireOpensAll(ctx);
  const provider = await ownProvider(ctx, id);
  const proof = await accountBehind(ctx, provider, { session }, back(ctx, answer, from));
  if (!proof || "refused" in proof) throw new Failure("not_authorised");
  const { account } = proof;
  const now = ctx.clock.now();
  // The person who is signed in there may be another one, who has left that browser open.
  if (Date.parse(account.proved_at) + FRESH_MS <= now) {
    await notifyOfProvider(ctx, provider, { refused: { reason: NOT_FRESH, by: "provider" } });
    throw new Failure("not_authorised");
  }
  const identity = newId(now);
  const actor = actorOf(ctx.principal, now);
  const input = { actor, session_id: session, id: identity, account };
  const { created_at } = await ctx.storage.commit(addIdentity, input);
  return {
    id: identity,
    provider_id: id,
    provider: provider.terms.name,
    date_created: created_at,
    last_used_at: null,
    managed: false,
  };
}
