import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { administrationOf } from "../people.service.ts";
import { countDeveloperIdentitiesAt } from "../../developers/developer-identities.store.ts";
import { pagesUrl } from "../pages-url.ts";
import {
  type ClientKey,
  openedProvider,
  type Provider,
  type ProviderTerms,
} from "./identity-provider.ts";
import type { checkIdentityProvider, identityProvider } from "./identity-providers.contract.ts";
import {
  addProvider,
  type ChangedTerms,
  changeProvider,
  takeAwayProvider,
} from "./identity-providers.transactions.ts";
import { countIdentitiesAt, findProvider, providersOf } from "./identity.store.ts";
import { checkProvider } from "./provider-check.service.ts";
import { isProblem, tellOfProvider } from "./provider-states.service.ts";
import { findProviderState } from "./provider-states.store.ts";
import { logoutPath, returnPath } from "./return-address.ts";

/** Where a client's provider reads its key. */
const jwksPath = (id: string) => `/v1/session/provider/${id}/jwks`;

type Shown = z.output<typeof identityProvider>;

/** The organisation's identity providers, the oldest first. */
export async function list(ctx: RequestContext): Promise<{ data: Shown[] }> {
  const { storage: { reader }, sealer, principal: { org_id } } = ctx;
  const data: Shown[] = [];
  for (const row of await providersOf(reader, { org_id })) {
    const opened = openedProvider(sealer, row);
    if (opened) data.push(await show(ctx, opened));
  }
  return { data };
}

/** One of them. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<Shown> {
  return await show(ctx, await opened(ctx, id));
}

async function opened(
  { storage: { reader }, sealer, principal: { org_id } }: RequestContext,
  id: string,
): Promise<Provider> {
  const row = await findProvider(reader, { org_id, id });
  const provider = row && openedProvider(sealer, row);
  if (!provider) throw new Failure("not_found");
  return provider;
}

/** Adds one. Throws what the endpoint lists. */
export async function add(
  ctx: RequestContext,
  terms: Omit<ProviderTerms, "client_key">,
  idempotency: Idempotency,
): Promise<Shown> {
  requireCalled(ctx, terms.issuer);
  const administration = administrationOf(ctx);
  const { now } = administration.actor;
  const client_key = await keyFor(terms, now);
  const bare = { ...terms, client_secret: terms.client_secret || null, client_key };
  const input = { ...administration, id: newId(now), terms: bare };
  const call = idempotentCall(ctx.principal, now, idempotency);
  return await show(ctx, await ctx.storage.commit(addProvider, { ...input, idempotency: call }));
}

/** Throws `provider_uncalled`. */
function requireCalled({ outbound }: RequestContext, issuer: string): void {
  const missing = outbound.missing(issuer);
  if (missing === undefined) return;
  throw new Failure("provider_uncalled", {
    message: `This identity provider can't be called: KEYDESK_OUTBOUND does not name ${missing}.`,
  });
}

async function keyFor({ client_auth }: Pick<ProviderTerms, "client_auth">, now: number) {
  return client_auth === "private_key_jwt" ? await newClientKey(now) : null;
}

/** Sets what is set of one. Throws what the endpoint lists. */
export async function change(
  ctx: RequestContext,
  id: string,
  terms: Omit<ChangedTerms, "client_key">,
): Promise<Shown> {
  if (terms.issuer !== undefined) requireCalled(ctx, terms.issuer);
  // An empty one takes it away: a member that is null counts as absent.
  const { client_secret } = terms;
  const meant = client_secret === "" ? { ...terms, client_secret: null } : terms;
  const administration = administrationOf(ctx);
  // Kept where the client has none yet.
  const client_key = await keyFor(terms, administration.actor.now);
  const input = { ...administration, id, terms: { ...meant, client_key } };
  return await show(ctx, await ctx.storage.commit(changeProvider, input));
}

/** Removes one. Throws `not_found`. */
export async function remove(ctx: RequestContext, id: string): Promise<void> {
  await ctx.storage.commit(takeAwayProvider, { ...administrationOf(ctx), id });
}

/** What is in the way of whoever comes by one. Throws `not_found`. */
export async function check(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof checkIdentityProvider.response>> {
  const provider = await opened(ctx, id);
  const { return_address } = await addressesOf(ctx, provider);
  const checked = await checkProvider(ctx, provider, return_address ?? "http://localhost/");
  // Whoever may set a provider may say so of it, and so may whoever tries it.
  if (checked.works) await tellOfProvider(ctx, provider, { works: true });
  return checked;
}

/** The addresses to tell a provider; null: no setting says by which name browsers come. */
async function addressesOf(
  { storage: { reader }, settings }: RequestContext,
  { org_id, id, terms }: Provider,
) {
  const whom = terms.for;
  const at = whom === "people" ? settings.publicUrl : await pagesUrl(reader, org_id, settings);
  const base = at || undefined;
  return {
    return_address: base === undefined ? null : base + returnPath(id, whom),
    logout_address: base === undefined ? null : base + logoutPath(id, whom),
    jwks_address: base === undefined || terms.client_auth !== "private_key_jwt"
      ? null
      : base + jwksPath(id),
  };
}

/** Who said a refusal; null: nobody knows any more. */
function saidBy({ refused_by }: { refused_by: string | null }): "provider" | "browser" | null {
  return refused_by === "provider" || refused_by === "browser" ? refused_by : null;
}

async function show(ctx: RequestContext, provider: Provider): Promise<Shown> {
  const { storage: { reader } } = ctx;
  const { org_id, id, created_at, updated_at, terms: { client_secret, client_key: _, ...terms } } =
    provider;
  const count = terms.for === "people" ? countIdentitiesAt : countDeveloperIdentitiesAt;
  const state = await findProviderState(reader, { org_id, id });
  return {
    id,
    ...terms,
    groups: terms.groups.map((one) => ({ ...one, role: one.role ?? null })),
    has_secret: client_secret !== null,
    people: await count(reader, { org_id, provider_id: id }),
    ...await addressesOf(ctx, provider),
    last_refused: state?.refused && state.refused_at
      ? { at: state.refused_at, reason: state.refused, by: saidBy(state) }
      : null,
    problem: state?.problem && state.problem_since && isProblem(state, ctx.clock.now())
      ? { since: state.problem_since, reason: state.problem }
      : null,
    gives_refresh_tokens: state?.refreshes ? state.refreshes === "yes" : null,
    date_created: created_at,
    date_updated: updated_at,
  };
}

/** A fresh private key by which a client proves itself: RSA of 2048 bits, for RS256. */
async function newClientKey(now: number): Promise<ClientKey> {
  const { privateKey } = await crypto.subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    true,
    ["sign"],
  );
  const { kty = "", n = "", e = "", d = "", p = "", q = "", dp = "", dq = "", qi = "" } =
    await crypto.subtle.exportKey("jwk", privateKey);
  return { kty, n, e, d, p, q, dp, dq, qi, kid: newId(now) };
}
