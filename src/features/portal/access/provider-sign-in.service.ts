import type { RequestContext } from "../../../calls/context.ts";
import { actingCall, actorOf, callingDeveloper } from "../../../calls/principal.ts";
import type { ReceivedHeaders } from "../../../../packages/http-listener/request.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId, randomAlphanumeric } from "../../../kernel/ids.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { FRESH_MS } from "../../people/session.ts";
import { browserName } from "../../people/browser-name.ts";
import { developerIdentitiesOf } from "../../developers/developer-identities.store.ts";
import { pagesUrl } from "../../people/pages-url.ts";
import {
  accountBehind,
  logoutBehind,
  type Way,
  wayTo,
} from "../../people/identity-providers/errands.service.ts";
import { type Provider, providerOf } from "../../people/identity-providers/identity-provider.ts";
import { findProvider, findProviderById } from "../../people/identity-providers/identity.store.ts";
import { providersThat } from "../../people/identity-providers/offered-providers.ts";
import type { ProvedAccount } from "../../people/identity-providers/provider-answer.ts";
import { errandOf } from "../../people/identity-providers/provider-ticket.ts";
import { NOT_FRESH } from "../../people/identity-providers/provider-sign-in.service.ts";
import { notifyOfProvider } from "../../people/identity-providers/provider-states.service.ts";
import { pagesAt, pagesOf } from "./developer-pages.ts";
import { areCodesMailed } from "./developer-pages.service.ts";
import { lifeOf } from "./developer-session.ts";
import { sealedAccount } from "./pending-account.ts";
import {
  endDevelopersByLogout,
  linkDevelopersAccount,
  signInByDevelopersProvider,
  unlinkDevelopersAccount,
} from "./provider-sign-in.transactions.ts";

/** A provider as anyone who is not signed in may know it. */
export interface OfferedProvider {
  readonly id: string;
  readonly name: string;
}

/** A browser on its way to a provider, or back. */
export interface Traveller {
  readonly headers: ReceivedHeaders;
  /** The address as it is counted by; undefined in process. */
  readonly address: string | undefined;
  /** The ticket that it kept meanwhile. */
  readonly ticket?: string | undefined;
  /** The secret of its session until now, which ends. */
  readonly before?: string | undefined;
}

/**
 * The providers that an address is offered at these pages, by its domain alone, so that an address
 * that is known and one that is not are offered the same; "": those that everybody is. Throws
 * `not_found` where there are no pages.
 */
export async function offeredTo(
  ctx: RequestContext,
  headers: ReceivedHeaders,
  email: string,
): Promise<OfferedProvider[]> {
  const { storage: { reader }, sealer } = ctx;
  const { org_id } = await pagesAt(ctx, headers);
  const domain = email.slice(email.lastIndexOf("@") + 1).trim().toLowerCase();
  const all = await providersThat({ reader, sealer }, org_id, "developers");
  return all.filter(({ terms: { domains } }) =>
    domain === "" ? domains.length === 0 : domains.includes(domain)
  ).map(toOffered);
}

/** Whether what an address is offered may follow from its domain. Throws `not_found`. */
export async function isOfferedByAddress(
  ctx: RequestContext,
  headers: ReceivedHeaders,
): Promise<boolean> {
  const { storage: { reader }, sealer } = ctx;
  const { org_id } = await pagesAt(ctx, headers);
  const all = await providersThat({ reader, sealer }, org_id, "developers");
  return all.some(({ terms: { domains } }) => domains.length > 0);
}

const toOffered = ({ id, terms: { name } }: Provider): OfferedProvider => ({ id, name });

async function ownProvider(
  { storage: { reader }, sealer }: RequestContext,
  org_id: string,
  id: string,
): Promise<Provider | undefined> {
  return providerOf(sealer, await findProvider(reader, { org_id, id }), "developers");
}

async function comesBack(
  { storage: { reader }, settings }: RequestContext,
  org_id: string,
  headers: ReceivedHeaders,
) {
  const publicUrl = await pagesUrl(reader, org_id, settings) ?? "";
  return { publicUrl, host: headers.get("host") };
}

/**
 * The address at which a browser signs in to these pages. Throws `not_found`, `provider_away`,
 * `providers_unavailable`, and `too_many_requests` if its address was wrong often.
 */
export async function beginSignIn(
  ctx: RequestContext,
  id: string,
  { headers, address }: Traveller,
  isFresh: boolean,
): Promise<Way & OfferedProvider> {
  const { org_id } = await pagesAt(ctx, headers);
  const provider = await ownProvider(ctx, org_id, id);
  if (!provider) throw ctx.attempts.failed("access", { address }) ?? new Failure("not_found");
  const to = await comesBack(ctx, org_id, headers);
  const way = await wayTo(ctx, provider, "developer-sign-in", to, isFresh);
  return { ...way, ...toOffered(provider) };
}

/** The result for a browser that came back. */
export type CameBack =
  | { readonly is: "in"; readonly secret: string; readonly lifeMs: number }
  | { readonly is: "linked" }
  /** No one has the account yet; `account`: what a sign-up brings along, where one may sign up. */
  | {
    readonly is: "nobody";
    readonly provider: string;
    readonly account?: string;
    readonly name: string;
    readonly email: string;
  };

/**
 * Signs in anyone who came back, or links the account to the session that went there. Throws
 * `not_authorised`, `identity_taken`, `too_many_identities`, `provider_away`, `not_found`,
 * `too_many_requests`.
 */
export async function comeBack(
  ctx: RequestContext,
  id: string,
  answer: string,
  traveller: Traveller,
): Promise<CameBack> {
  const { headers, address, ticket } = traveller;
  const { org_id } = await pagesAt(ctx, headers);
  // Before anybody is asked: the asking is work for anyone who has failed often.
  if (ctx.attempts.mustWait("access", { address })) throw refusal(ctx, org_id, address);
  const provider = await ownProvider(ctx, org_id, id);
  if (!provider) throw refusal(ctx, org_id, address);
  const back = { ...await comesBack(ctx, org_id, headers), answer, ticket };
  const { session, developer } = ctx.principal;
  const state = new URLSearchParams(answer).get("state");
  const link = session && developer ? { developer_session: session.id } : undefined;
  const now = ctx.clock.now();
  const isLink = link && errandOf(ctx.sealer, link, id, ticket, now)?.state === state;
  if (isLink) {
    const proof = await accountBehind(ctx, provider, link, back);
    if (!proof || "refused" in proof) throw new Failure("not_authorised");
    const { account } = proof;
    // The person who is signed in there may be another one, who has left that browser open.
    if (Date.parse(account.proved_at) + FRESH_MS <= now) {
      await notifyOfProvider(ctx, provider, { refused: { reason: NOT_FRESH, by: "provider" } });
      throw new Failure("not_authorised");
    }
    return await finishLink(ctx, account);
  }
  const proof = await accountBehind(ctx, provider, "developer-sign-in", back, address);
  if (!proof) throw refusal(ctx, org_id, address);
  if ("refused" in proof) throw refusal(ctx, org_id, address, { id, reason: proof.refused });
  return await signIn(ctx, provider, proof.account, traveller);
}

const ANSWER = "/portal/from/{id}";

const REFUSED = "the answer was used before, or its developer is inactive here";

function refusal(
  ctx: RequestContext,
  org_id: string,
  address: string | undefined,
  provider?: { id: string; reason: string },
): Failure {
  const failure = ctx.attempts.failed("access", { address }) ?? new Failure("not_authorised");
  const limited = failure.code === "too_many_requests";
  const what = { path: ANSWER, by: "provider", limited, provider };
  ctx.notes.refusedSignIn({ ...ctx.principal, org_id }, what);
  return failure;
}

async function signIn(
  ctx: RequestContext,
  provider: Provider,
  account: ProvedAccount,
  { headers, before }: Traveller,
): Promise<CameBack> {
  const { org_id } = provider;
  const now = ctx.clock.now();
  const secret = randomAlphanumeric(43);
  const session = {
    id: newId(now),
    hash: sha256(secret),
    browser: browserName(headers.get("user-agent")),
    replaces: before === undefined ? null : sha256(before),
    now,
    call: actingCall(ctx.principal),
  };
  const opened = await ctx.storage.commit(signInByDevelopersProvider, { account, session }).catch(
    async (error) => {
      if (error instanceof Failure && error.code === "not_authorised") {
        const principal = { ...ctx.principal, org_id };
        const refusal = { id: provider.id, reason: REFUSED };
        ctx.notes.refusedSignIn(principal, { path: ANSWER, by: "provider", provider: refusal });
        await notifyOfProvider(ctx, provider, { refused: { reason: REFUSED, by: "provider" } });
      }
      throw error;
    },
  );
  if (opened) return { is: "in", secret, lifeMs: lifeOf("all") };
  const { reader } = ctx.storage;
  const { sign_up } = await pagesOf(reader, org_id);
  const mayAsk = sign_up !== "closed" && await areCodesMailed(ctx, reader, org_id);
  return {
    is: "nobody",
    provider: provider.terms.name,
    ...mayAsk ? { account: sealedAccount(ctx.sealer, account, now) } : {},
    name: account.name,
    email: account.said_email,
  };
}

/** The caller's accounts, and the providers at which they can link one. */
export async function list(ctx: RequestContext) {
  const { storage: { reader }, sealer, principal } = ctx;
  const { org_id } = principal;
  const { id: developer_id } = callingDeveloper(principal);
  const providers = (await providersThat({ reader, sealer }, org_id, "developers")).map(toOffered);
  const rows = await developerIdentitiesOf(reader, { org_id, developer_id });
  const data = rows.map(({ id, provider_id, created_at, last_used_at }) => ({
    id,
    provider_id,
    provider: providers.find((one) => one.id === provider_id)?.name ?? "",
    date_created: created_at,
    last_used_at,
  }));
  return { data, providers };
}

/**
 * The address at which a browser links an account to its session, which the developer has just
 * begun themselves. Throws `not_found`, `provider_away`, `providers_unavailable`.
 */
export async function beginLink(
  ctx: RequestContext,
  id: string,
  headers: ReceivedHeaders,
): Promise<Way & OfferedProvider> {
  const { org_id, session } = ctx.principal;
  if (!session || !callingDeveloper(ctx.principal).isFreshOwn) throw new Failure("access_denied");
  const provider = await ownProvider(ctx, org_id, id);
  if (!provider) throw new Failure("not_found");
  const to = await comesBack(ctx, org_id, headers);
  // Asked again, whoever is signed in there: it may be another person's browser there.
  const way = await wayTo(ctx, provider, { developer_session: session.id }, to, true);
  return { ...way, ...toOffered(provider) };
}

async function finishLink(ctx: RequestContext, account: ProvedAccount): Promise<CameBack> {
  const { id: developer_id, mayChange } = callingDeveloper(ctx.principal);
  if (!mayChange) throw new Failure("access_denied");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const session_id = ctx.principal.session?.id ?? "";
  const id = newId(actor.now);
  await ctx.storage.commit(linkDevelopersAccount, { actor, developer_id, session_id, id, account });
  return { is: "linked" };
}

/** Unlinks one. Throws `not_found`, `last_way_in`. */
export async function unlink(ctx: RequestContext, id: string): Promise<void> {
  const { id: developer_id } = callingDeveloper(ctx.principal);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const mailsCodes = await areCodesMailed(ctx, ctx.storage.reader, actor.org_id);
  const session_id = ctx.principal.session?.id ?? "";
  const input = { actor, developer_id, session_id, id, mailsCodes };
  await ctx.storage.commit(unlinkDevelopersAccount, input);
}

/** Ends what a provider ends. Throws `logout_refused`, `provider_away`, `too_many_requests`. */
export async function endByProvider(
  ctx: RequestContext,
  id: string,
  token: string,
  address: string | undefined,
): Promise<number> {
  const row = await findProviderById(ctx.storage.reader, { id });
  const provider = providerOf(ctx.sealer, row, "developers");
  const logout = await logoutBehind(ctx, provider, token, address);
  const now = ctx.clock.now();
  const call = actingCall(ctx.principal);
  return await ctx.storage.commit(endDevelopersByLogout, { logout, now, call });
}
