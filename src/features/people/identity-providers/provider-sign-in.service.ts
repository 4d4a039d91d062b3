import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { actingCall, actorOf } from "../../../calls/principal.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { FRESH_MS } from "../session.ts";
import { beginning, type Begun, begun, type SigningBrowser } from "../sessions.service.ts";
import { requireOpensAll, requireWhole } from "../passkeys.service.ts";
import { administrationOf } from "../people.service.ts";
import { identitiesOf } from "../identities.store.ts";
import { isManagedLink, requireUnmanaged } from "../identity-link.ts";
import { sessionOf } from "../session-of.ts";
import { accountBehind, logoutBehind, type Way, wayTo } from "./errands.service.ts";
import { endByLogout, takeAwayIdentity } from "./identities.transactions.ts";
import { openedProvider, type Provider, providerOf } from "./identity-provider.ts";
import { findProvider, findProviderById } from "./identity.store.ts";
import { providersThat } from "./offered-providers.ts";
import type { ProvedAccount } from "./provider-answer.ts";
import { reasonOfGroups } from "./provider-refusal.ts";
import type { getProviderKeys } from "./identity-providers.contract.ts";
import { tellOfProvider } from "./provider-states.service.ts";
import type { listIdentities, ownIdentity } from "./provider-sign-in.contract.ts";
import { addIdentity, signInByProvider } from "./provider-sign-in.transactions.ts";

/**
 * Where a browser goes to sign in. Throws `not_found`, `provider_away`, `providers_unavailable`,
 * and `too_many_requests` where its address was wrong often.
 */
export async function beginSignIn(
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

/** Signs in whoever came back. Throws what the endpoint lists. */
export async function finishSignIn(
  ctx: RequestContext,
  id: string,
  answer: string,
  from: SigningBrowser,
): Promise<Begun> {
  // Before anybody is asked: the asking is work for whoever has failed often.
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

/** What refuses whoever has proved their account. */
const REFUSALS: Readonly<Record<string, string>> = {
  not_authorised: "the answer was used before, or its person is deactivated or suspended here",
  identity_unknown: "nobody here has this account, and the provider adds nobody",
  last_administrator: "what the groups give would leave nobody to administer",
};

/** A refusal after the proof, for which the provider and not the address is to blame; noted. */
async function noted(
  ctx: RequestContext,
  provider: Provider,
  { groups, groups_told }: ProvedAccount,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  const isOfGroups = error.code === "no_group_opens" || error.code === "groups_incomplete";
  const reason = isOfGroups
    ? reasonOfGroups(provider.terms, groups_told, groups ?? [])
    : REFUSALS[error.code];
  if (reason === undefined) return error;
  const { org_id, id } = provider;
  const what = { path: ANSWER, by: "provider", provider: { id, reason } };
  ctx.notes.refusedSignIn({ ...ctx.principal, org_id }, what);
  await tellOfProvider(ctx, provider, { refused: { reason, by: "provider" } });
  return error;
}

/** The public key of a client, as its provider reads it, if there is one. Throws `not_found`. */
export async function keysFor(
  { storage: { reader }, sealer }: RequestContext,
  id: string,
): Promise<z.output<typeof getProviderKeys.response>> {
  const row = await findProviderById(reader, { id });
  const provider = row && openedProvider(sealer, row);
  if (!provider) throw new Failure("not_found");
  const { client_key: key } = provider.terms;
  if (key === null) return { keys: [] };
  const { n = "", e = "", kid } = key;
  return { keys: [{ kty: "RSA", n, e, kid, alg: "RS256", use: "sig" }] };
}

/** Ends what a provider ends. Throws `logout_refused`, `provider_away`, `too_many_requests`. */
export async function endByProvider(
  ctx: RequestContext,
  id: string,
  token: string,
  address: string | undefined,
): Promise<number> {
  const provider = await providerById(ctx, id);
  const logout = await logoutBehind(ctx, provider, token, address);
  const now = ctx.clock.now();
  return await ctx.storage.commit(endByLogout, { logout, now, call: actingCall(ctx.principal) });
}

/** The caller's accounts, and where they can link one. */
export function list(ctx: RequestContext): Promise<z.output<typeof listIdentities.response>> {
  return accountsOf(ctx, ctx.principal.user_id);
}

/** The same of another person. */
export async function accountsOf(
  ctx: RequestContext,
  user_id: string,
): Promise<z.output<typeof listIdentities.response>> {
  const { storage: { reader }, sealer, principal: { org_id } } = ctx;
  const known = await providersThat({ reader, sealer }, org_id, "people");
  const providers = known.map(({ id, terms: { name } }) => ({ id, name }));
  const rows = await identitiesOf(reader, { org_id, user_id });
  const data = rows.map((row) => ({
    id: row.id,
    provider_id: row.provider_id,
    provider: providers.find((one) => one.id === row.provider_id)?.name ?? "",
    date_created: row.created_at,
    last_used_at: row.last_used_at,
    managed: isManagedLink(sealer, row),
  }));
  return { data, providers: data.some(({ managed }) => managed) ? [] : providers };
}

async function ownProvider(ctx: RequestContext, id: string): Promise<Provider> {
  const { storage: { reader }, sealer, principal: { org_id } } = ctx;
  const row = await findProvider(reader, { org_id, id });
  const provider = providerOf(sealer, row, "people");
  if (!provider) throw new Failure("not_found");
  return provider;
}

/** Why an account that is proved is not linked. */
export const NOT_FRESH =
  'an account was not linked: the claim "auth_time" is missing or older than five minutes, or acr and amr are not as demanded';

/** Where a browser goes to link an account to its session. Throws what the endpoint lists. */
export async function beginLink(
  ctx: RequestContext,
  id: string,
  host: string | null,
): Promise<Way> {
  const session = sessionOf(ctx.principal).id;
  await requireOpensAll(ctx);
  const { storage: { reader }, sealer, principal: { org_id, user_id } } = ctx;
  await requireUnmanaged(reader, sealer, { org_id, user_id });
  const provider = await ownProvider(ctx, id);
  // Asked again, whoever is signed in there: it may be somebody else's browser there.
  return await wayTo(ctx, provider, { session }, comesBack(ctx, host), true);
}

/** Links the account that the browser came back with. Throws what the endpoint lists. */
export async function finishLink(
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
  // Whoever is signed in there may be somebody else, who has left that browser open.
  if (Date.parse(account.proved_at) + FRESH_MS <= now) {
    await tellOfProvider(ctx, provider, { refused: { reason: NOT_FRESH, by: "provider" } });
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

/**
 * Unlinks one. Throws `not_found`, `access_denied` for a session that opens less than all, and
 * `added_by_provider` for the account of a person whom its provider added.
 */
export async function unlink(ctx: RequestContext, id: string): Promise<void> {
  await requireWhole(ctx);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(takeAwayIdentity, {
    actor,
    session_id: sessionOf(ctx.principal).id,
    id,
  });
}
