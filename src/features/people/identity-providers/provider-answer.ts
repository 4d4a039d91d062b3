import type { UserInfoResponse } from "openid-client";
import type { ServiceContext } from "../../../calls/context.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { problemOfAddress } from "../../../kernel/mail-address.ts";
import { FRESH_MS } from "../session.ts";
import { type Provider, providerSession, type ProviderTerms } from "./identity-provider.ts";
import { metadataOf, onErrand, ProviderAway } from "./provider-calls.ts";
import { clientOf, type OnTheWay, REPORTED_S, TOLERANCE_S } from "./provider-client.ts";
import { areGroupsMissing, type GroupsAnswer, groupsIn } from "./provider-groups.ts";
import { ProviderRefused, reasonOf } from "./provider-refusal.ts";
import type { Errand } from "./provider-ticket.ts";

/** Whom a provider says that a person is, proved. */
export interface ProvedAccount {
  org_id: string;
  provider_id: string;
  subject: string;
  /** By what its own session is found; null: it names none. */
  provider_session: string | null;
  /** null: the provider named some of them, or none, and says that there are more. */
  groups: string[] | null;
  /** The form of their groups claim. */
  groups_answered: GroupsAnswer;
  name: string;
  /** Proved to be theirs, and of a domain of the provider's; null: there is none such. */
  email: string | null;
  /** Their address by the provider: an unproved text; "": none. */
  said_email: string;
  /** When it saw its person, where that counts as fresh; else long ago. */
  proved_at: string;
  /** By what the state is kept once it came back. */
  spent: { hash: string; expires_at: string };
  /** By what it is asked again; null: it gave nothing for that. */
  refresh_token: string | null;
  /** A problem of the provider despite the sign-in; null: none. */
  problem: string | null;
}

/** A moment from which nothing is fresh. */
const LONG_AGO = "1970-01-01T00:00:00.000Z";

/** Characters of what is in a claim, and of a refresh token that is kept. */
const LONGEST = 255;
const LONGEST_TOKEN = 16 * 1024;

type Claims = Readonly<Record<string, unknown>>;

/**
 * The address to which a browser is sent: by code, with PKCE, a state and a nonce. `isFresh`: a
 * person who is signed in there already is asked again. Throws ProviderAway, and ProviderRefused if
 * the provider takes requests before anybody comes and refuses this one.
 */
export async function authorizationUrl(
  ctx: Pick<ServiceContext, "outbound" | "clock">,
  provider: Provider,
  { state, nonce, verifier }: Errand,
  redirect: string,
  isFresh: boolean,
): Promise<string> {
  const metadata = await metadataOf(ctx, provider);
  const onTheWay: OnTheWay = {};
  const { client, config } = await clientOf(ctx, provider, metadata, ctx.clock.now(), onTheWay);
  const { scopes, acr_values, response_mode, asks_consent } = provider.terms;
  const prompts = [...isFresh ? ["login"] : [], ...asks_consent ? ["consent"] : []];
  const parameters = {
    redirect_uri: redirect,
    scope: ["openid", ...scopes].join(" "),
    response_type: "code",
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...response_mode === "query" ? {} : { response_mode },
    ...isFresh ? { max_age: "0" } : {},
    ...prompts.length > 0 ? { prompt: prompts.join(" ") } : {},
    ...isFresh && acr_values.length > 0 ? { acr_values: acr_values.join(" ") } : {},
  };
  if (!provider.terms.pushed_requests && metadata.require_pushed_authorization_requests !== true) {
    return client.buildAuthorizationUrl(config, parameters).href;
  }
  try {
    const push = () => client.buildAuthorizationUrlWithPAR(config, parameters);
    return (await onErrand(ctx, provider, push)).href;
  } catch (error) {
    if (error instanceof ProviderAway) throw error;
    if (onTheWay.away) throw onTheWay.away;
    throw new ProviderRefused(`the pushed request: ${reasonOf(error)}`);
  }
}

/**
 * The account of a browser that comes back from a provider, by the query of its address; undefined:
 * it is no answer to this browser's question, and the provider is not asked. Throws ProviderRefused
 * if the provider itself refuses or its answer proves nothing, and ProviderAway.
 */
export async function provedAccount(
  ctx: Pick<ServiceContext, "outbound" | "clock">,
  provider: Provider,
  errand: Errand,
  { redirect, answer }: { redirect: string; answer: string },
): Promise<ProvedAccount | undefined> {
  const given = new URLSearchParams(answer);
  if (given.get("state") !== errand.state) return undefined;
  const error = given.get("error");
  if (error !== null) {
    const error_description = given.get("error_description");
    const said = Object.assign(new Error(), { error, error_description });
    throw new ProviderRefused(reasonOf(said), false, "browser");
  }
  if (!given.get("code")) return undefined;
  const metadata = await metadataOf(ctx, provider);
  const now = ctx.clock.now();
  const onTheWay: OnTheWay = {};
  const { client, config } = await clientOf(ctx, provider, metadata, now, onTheWay);
  const url = new URL(redirect);
  url.search = given.toString();
  const tokens = await client.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: errand.verifier,
    expectedState: errand.state,
    expectedNonce: errand.nonce,
    idTokenExpected: true,
  }).catch((error: unknown) => {
    // It throws for whatever a provider or a stranger can have sent.
    if (onTheWay.away) throw onTheWay.away;
    // as: an answer of the endpoint has it, whatever was thrown. A code is the browser's word.
    const { error: code } = error as { error?: unknown };
    const isTheirs = onTheWay.isAnswered === true && code !== "invalid_grant";
    throw new ProviderRefused(reasonOf(error), false, isTheirs ? "provider" : "browser");
  });
  const claims: Claims = tokens.claims() ?? {};
  const subject = subjectIn(claims);
  const asks = { token: tokens.access_token, subject, onTheWay };
  const { whole, problem } = await withUserInfo(
    provider.terms,
    claims,
    metadata,
    () => client.fetchUserInfo(config, asks.token, asks.subject),
    onTheWay,
  );
  const clock = clockProblem(claims, now);
  const refresh_token = tokens.refresh_token ?? "";
  return {
    ...accountOf(provider, whole, errand, now),
    refresh_token: refresh_token === "" || refresh_token.length > LONGEST_TOKEN
      ? null
      : refresh_token,
    problem: problem ?? clock,
  };
}

/** Throws ProviderRefused for a subject that is none. */
export function subjectIn({ sub }: Claims): string {
  if (typeof sub === "string" && sub !== "" && sub.length <= LONGEST) return sub;
  throw new ProviderRefused(`the claim "sub" is ${sub === "" ? "empty" : "too long"}`);
}

/**
 * The claims of an ID token, with what it lacks of groups, address and name by the UserInfo
 * endpoint (OpenID Connect Core 1.0, 5.3), which is asked for nothing else. If that fails without
 * groups the sign-in is refused, since they are not known, and nothing changes; else `problem` says
 * so. Throws ProviderAway and ProviderRefused.
 */
export async function withUserInfo(
  terms: ProviderTerms,
  claims: Claims,
  { userinfo_endpoint }: Claims,
  fetch: () => Promise<UserInfoResponse>,
  onTheWay: OnTheWay,
): Promise<{ whole: Claims; problem?: string }> {
  const wantsGroups = terms.for === "people" && terms.groups.length > 0 &&
    areGroupsMissing(claims, terms);
  const wantsName = terms.scopes.includes("profile") &&
    textIn(claims.name) + textIn(claims.preferred_username) === "";
  const wantsEmail = terms.scopes.includes("email") && textIn(claims.email) === "";
  if (userinfo_endpoint === undefined || !(wantsGroups || wantsName || wantsEmail)) {
    return { whole: claims };
  }
  let more: Claims;
  try {
    more = await fetch();
  } catch (error) {
    const status = onTheWay.status === undefined ? "" : ` (status ${onTheWay.status})`;
    const reason = `the UserInfo endpoint: ${onTheWay.away?.message ?? reasonOf(error)}${status}`;
    // Another person's claims are none of theirs, whatever is wanted of them.
    if (/"sub"/.test(reason)) throw new ProviderRefused(reason, true);
    if (!wantsGroups) return { whole: claims, problem: reason };
    throw onTheWay.away ? new ProviderAway(reason) : new ProviderRefused(reason, true);
  }
  const names = { name: more.name, preferred_username: more.preferred_username };
  return {
    whole: {
      ...claims,
      ...wantsGroups ? groupsOf(more, terms) : {},
      ...wantsName ? names : {},
      ...wantsEmail ? { email: more.email, email_verified: more.email_verified } : {},
    },
  };
}

function groupsOf(more: Claims, { groups_claim }: ProviderTerms): Claims {
  const found: Record<string, unknown> = {};
  for (const name of [groups_claim, "_claim_names"]) {
    if (Object.hasOwn(more, name)) found[name] = more[name];
  }
  return found;
}

/** By how much a provider's clock is off, where a person should know; null: not by much. */
function clockProblem(claims: Claims, now: number): string | null {
  const off = offBy(claims, now);
  if (off === 0) return null;
  return `its clock is ${Math.abs(off)} seconds ${off > 0 ? "ahead of" : "behind"} this server's`;
}

/** Seconds by which its clock is ahead of ours, as a fresh token of it says; 0: not by much. */
function offBy({ iat }: Claims, now: number): number {
  if (typeof iat !== "number" || !Number.isFinite(iat)) return 0;
  const off = Math.round(iat - now / 1000);
  return Math.abs(off) > REPORTED_S ? off : 0;
}

function accountOf(
  { org_id, id: provider_id, terms }: Provider,
  claims: Claims,
  { spent }: Errand,
  now: number,
): Omit<ProvedAccount, "refresh_token" | "problem"> {
  const { sid } = claims;
  const sub = subjectIn(claims);
  const email = textIn(claims.email).toLowerCase();
  const domain = email.slice(email.lastIndexOf("@") + 1);
  const isTheirs = claims.email_verified === true && terms.domains.includes(domain) &&
    problemOfAddress(email) === undefined;
  const { names: groups, answered: groups_answered } = groupsIn(claims, terms);
  return {
    org_id,
    provider_id,
    subject: sub,
    provider_session: typeof sid === "string" && sid !== ""
      ? providerSession(provider_id, sid)
      : null,
    groups,
    groups_answered,
    name: textIn(claims.name) || textIn(claims.preferred_username) || email || textIn(sub) || "-",
    email: isTheirs ? email : null,
    said_email: problemOfAddress(email) === undefined ? email : "",
    proved_at: provedAt(terms, claims, now),
    spent,
  };
}

/**
 * When the provider saw its person, if that is recent enough and was done as demanded. If the
 * provider's clock is off within the tolerance, the age is computed by that clock alone.
 */
function provedAt(
  { acr_values, amr_values }: ProviderTerms,
  claims: Claims,
  now: number,
): string {
  const { auth_time, acr } = claims;
  if (typeof auth_time !== "number" || !Number.isFinite(auth_time)) return LONG_AGO;
  const off = offBy(claims, now);
  const at = (auth_time - (Math.abs(off) <= TOLERANCE_S ? off : 0)) * 1000;
  if (at > now + REPORTED_S * 1000 || at + FRESH_MS <= now) return LONG_AGO;
  if (acr_values.length > 0 && !acr_values.includes(String(acr))) return LONG_AGO;
  const { amr } = claims;
  const methods: unknown[] = Array.isArray(amr) ? amr : [amr];
  if (amr_values.length > 0 && !amr_values.some((one) => methods.includes(one))) return LONG_AGO;
  return toTimestamp(Math.min(at, now));
}

/** A text of a claim as one line. */
function textIn(claim: unknown): string {
  if (typeof claim !== "string") return "";
  return claim.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim().slice(0, LONGEST);
}
