import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { administrationOf } from "../access/people.service.ts";
import { countDeveloperIdentitiesAt } from "../developers/developer-identities.store.ts";
import { pagesUrl } from "../developers/pages-url.ts";
import { openedProvider, type Provider, type ProviderTerms } from "./identity-provider.ts";
import type { checkIdentityProvider, identityProvider } from "./identity-providers.contract.ts";
import {
  addProvider,
  type ChangedTerms,
  changeProvider,
  takeAwayProvider,
} from "./identity-providers.transactions.ts";
import { countIdentitiesAt, findProvider, providersOf } from "./identity.store.ts";
import { ProviderAway, readMetadata, readProvider } from "./provider-calls.ts";
import { logoutPath, returnPath } from "./return-address.ts";

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
  terms: ProviderTerms,
  idempotency: Idempotency,
): Promise<Shown> {
  const missing = ctx.outbound.missing(terms.issuer);
  if (missing !== undefined) {
    throw new Failure("provider_uncalled", {
      message: `This identity provider can't be called: KEYDESK_OUTBOUND does not name ${missing}.`,
    });
  }
  const administration = administrationOf(ctx);
  const { now } = administration.actor;
  const bare = { ...terms, client_secret: terms.client_secret || null };
  const input = { ...administration, id: newId(now), terms: bare };
  const call = idempotentCall(ctx.principal, now, idempotency);
  return await show(ctx, await ctx.storage.commit(addProvider, { ...input, idempotency: call }));
}

/** Sets what is set of one. Throws what the endpoint lists. */
export async function change(
  ctx: RequestContext,
  id: string,
  terms: ChangedTerms,
): Promise<Shown> {
  // An empty one takes it away: a member that is null counts as absent.
  const { client_secret } = terms;
  const meant = client_secret === "" ? { ...terms, client_secret: null } : terms;
  const input = { ...administrationOf(ctx), id, terms: meant };
  return await show(ctx, await ctx.storage.commit(changeProvider, input));
}

/** Removes one. Throws `not_found`. */
export async function remove(ctx: RequestContext, id: string): Promise<void> {
  await ctx.storage.commit(takeAwayProvider, { ...administrationOf(ctx), id });
}

/** Whether one answers, and how it signs. Throws `not_found`. */
export async function check(
  ctx: RequestContext,
  id: string,
): Promise<z.output<typeof checkIdentityProvider.response>> {
  const { terms } = await opened(ctx, id);
  try {
    const metadata = await readMetadata(ctx.outbound, terms.issuer);
    const { keys } = await readProvider(ctx.outbound, metadata.jwks_uri);
    const count = Array.isArray(keys) ? keys.length : 0;
    const signs = metadata.id_token_signing_alg_values_supported;
    const algorithms = (Array.isArray(signs) ? signs : ["RS256"]).map(String).slice(0, 20);
    const problem = count === 0 ? "it shows no keys" : null;
    return { works: problem === null, problem, algorithms, keys: count };
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
    return { works: false, problem: error.message, algorithms: [], keys: 0 };
  }
}

async function show(ctx: RequestContext, provider: Provider): Promise<Shown> {
  const { storage: { reader }, settings } = ctx;
  const { org_id, id, created_at, updated_at, terms: { client_secret, ...terms } } = provider;
  const whom = terms.for;
  const at = whom === "people" ? settings.publicUrl : await pagesUrl(reader, org_id, settings);
  const count = whom === "people" ? countIdentitiesAt : countDeveloperIdentitiesAt;
  return {
    id,
    ...terms,
    groups: terms.groups.map((one) => ({ ...one, role: one.role ?? null })),
    has_secret: client_secret !== null,
    people: await count(reader, { org_id, provider_id: id }),
    return_address: at ? at + returnPath(id, whom) : null,
    logout_address: at ? at + logoutPath(id, whom) : null,
    date_created: created_at,
    date_updated: updated_at,
  };
}
