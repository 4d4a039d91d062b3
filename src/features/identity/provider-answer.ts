import type { ServiceContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";
import { FRESH_MS } from "../access/session.ts";
import { type Provider, providerSession, type ProviderTerms } from "./identity-provider.ts";
import type { ServerMetadata } from "openid-client";
import { callProvider, type Metadata, metadataOf, ProviderAway } from "./provider-calls.ts";
import type { Errand } from "./provider-ticket.ts";

/** Whom a provider says that somebody is, proved. */
export interface ProvedAccount {
  org_id: string;
  provider_id: string;
  subject: string;
  /** By what its own session is found; null: it names none. */
  provider_session: string | null;
  /** null: the provider named some of them, or none, and says that there are more. */
  groups: string[] | null;
  name: string;
  /** Proved to be theirs, and of a domain of the provider's; null: there is none such. */
  email: string | null;
  /** What it says of their address: a text, which proves nothing; "": it is none. */
  said_email: string;
  /** When it saw its person, where that counts as fresh; else long ago. */
  proved_at: string;
  /** By what the state is kept once it came back. */
  spent: { hash: string; expires_at: string };
}

/** A moment from which nothing is fresh. */
const LONG_AGO = "1970-01-01T00:00:00.000Z";

/** Clocks of providers and ours may differ by so many seconds. */
export const TOLERANCE_S = 60;

/** Groups that are looked at, and characters of what stands in a claim. */
const MOST_GROUPS = 500;
const LONGEST = 255;

/**
 * Where a browser is sent: by code, with PKCE, a state and a nonce. `isFresh`: whoever is signed in
 * there already is asked again. Throws ProviderAway.
 */
export async function authorizationUrl(
  ctx: Pick<ServiceContext, "outbound">,
  provider: Provider,
  { state, nonce, verifier }: Errand,
  redirect: string,
  isFresh: boolean,
): Promise<string> {
  const metadata = await metadataOf(ctx, provider);
  const { calculatePKCECodeChallenge, buildAuthorizationUrl } = await import("openid-client");
  const { scopes, acr_values } = provider.terms;
  const config = await configurationOf(ctx, provider, metadata, 0);
  const url = buildAuthorizationUrl(config, {
    redirect_uri: redirect,
    scope: ["openid", ...scopes].join(" "),
    response_type: "code",
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...isFresh ? { max_age: "0", prompt: "login" } : {},
    ...isFresh && acr_values.length > 0 ? { acr_values: acr_values.join(" ") } : {},
  });
  return url.href;
}

/**
 * Who comes back from a provider, by what stands behind the address that they come to; undefined:
 * nobody, whatever the provider says. Throws ProviderAway.
 */
export async function provedAccount(
  ctx: Pick<ServiceContext, "outbound" | "clock">,
  provider: Provider,
  errand: Errand,
  { redirect, answer }: { redirect: string; answer: string },
): Promise<ProvedAccount | undefined> {
  const given = new URLSearchParams(answer);
  // Before anybody is asked: what is no answer to this browser's question calls nobody.
  if (given.get("state") !== errand.state || !given.get("code")) return undefined;
  const metadata = await metadataOf(ctx, provider);
  const now = ctx.clock.now();
  const { authorizationCodeGrant } = await import("openid-client");
  const trouble: { away?: ProviderAway } = {};
  const config = await configurationOf(ctx, provider, metadata, now, trouble);
  try {
    const url = new URL(redirect);
    url.search = given.toString();
    const tokens = await authorizationCodeGrant(config, url, {
      pkceCodeVerifier: errand.verifier,
      expectedState: errand.state,
      expectedNonce: errand.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    return claims && accountOf(provider, claims, errand, now);
  } catch {
    // It throws for whatever a provider or a stranger can have sent.
    if (trouble.away) throw trouble.away;
    return undefined;
  }
}

/**
 * A client of the provider, whose every call goes the one way out, and whose keys are read anew.
 */
async function configurationOf(
  { outbound }: Pick<ServiceContext, "outbound">,
  { terms: { client_id, client_secret, issuer } }: Provider,
  metadata: Metadata,
  now: number,
  trouble: { away?: ProviderAway } = {},
) {
  const client = await import("openid-client");
  const { token_endpoint_auth_methods_supported: methods } = metadata;
  const takesBasic = !Array.isArray(methods) || methods.includes("client_secret_basic");
  const auth = client_secret === null
    ? client.None()
    : takesBasic
    ? client.ClientSecretBasic(client_secret)
    : client.ClientSecretPost(client_secret);
  // A copy, since keys are kept by it. as: it was read as JSON.
  const config = new client.Configuration(
    structuredClone(metadata) as unknown as ServerMetadata,
    client_id,
    {
      [client.clockSkew]: now === 0 ? 0 : Math.round((now - Date.now()) / 1000),
      [client.clockTolerance]: TOLERANCE_S,
    },
    auth,
  );
  client.enableNonRepudiationChecks(config);
  // The way out speaks it to this machine alone.
  if (new URL(issuer).protocol === "http:") client.allowInsecureRequests(config);
  config[client.customFetch] = async (url, options) => {
    try {
      const { body } = options;
      const answer = await callProvider(outbound, url, {
        method: options.method,
        headers: options.headers,
        ...body === null || body === undefined ? {} : { body: String(body) },
      });
      const hasNone = answer.status === 204 || answer.status === 205 || answer.status === 304;
      const type = answer.headers.get("content-type") ?? "";
      return new Response(hasNone ? null : answer.body, {
        status: answer.status,
        headers: { "content-type": type },
      });
    } catch (error) {
      if (error instanceof ProviderAway) trouble.away = error;
      throw error;
    }
  };
  return config;
}

function accountOf(
  { org_id, id: provider_id, terms }: Provider,
  claims: Readonly<Record<string, unknown>>,
  { spent }: Errand,
  now: number,
): ProvedAccount | undefined {
  const { sub, sid } = claims;
  if (typeof sub !== "string" || sub === "" || sub.length > LONGEST) return undefined;
  const email = textIn(claims.email).toLowerCase();
  const domain = email.slice(email.lastIndexOf("@") + 1);
  const isTheirs = claims.email_verified === true && terms.domains.includes(domain) &&
    problemOfAddress(email) === undefined;
  return {
    org_id,
    provider_id,
    subject: sub,
    provider_session: typeof sid === "string" && sid !== ""
      ? providerSession(provider_id, sid)
      : null,
    groups: groupsIn(claims, terms.groups_claim),
    name: textIn(claims.name) || textIn(claims.preferred_username) || email || textIn(sub) || "-",
    email: isTheirs ? email : null,
    said_email: problemOfAddress(email) === undefined ? email : "",
    proved_at: provedAt(terms, claims, now),
    spent,
  };
}

/** null: they are too many to be told, or stand elsewhere (OpenID Connect Core 1.0, 5.6.2). */
function groupsIn(
  claims: Readonly<Record<string, unknown>>,
  name: string,
): string[] | null {
  const { [name]: claim, _claim_names: elsewhere } = claims;
  const isElsewhere = typeof elsewhere === "object" && elsewhere !== null &&
    Object.hasOwn(elsewhere, name);
  if (isElsewhere || (Array.isArray(claim) && claim.length > MOST_GROUPS)) return null;
  return wordsIn(claim);
}

/** When the provider saw its person, where that is young enough and done as it is demanded. */
function provedAt(
  { acr_values, amr_values }: ProviderTerms,
  claims: Readonly<Record<string, unknown>>,
  now: number,
): string {
  const { auth_time, acr } = claims;
  if (typeof auth_time !== "number" || !Number.isFinite(auth_time)) return LONG_AGO;
  const at = auth_time * 1000;
  if (at > now + TOLERANCE_S * 1000 || at + FRESH_MS <= now) return LONG_AGO;
  if (acr_values.length > 0 && !acr_values.includes(String(acr))) return LONG_AGO;
  const methods = wordsIn(claims.amr);
  if (amr_values.length > 0 && !amr_values.some((one) => methods.includes(one))) return LONG_AGO;
  return toTimestamp(Math.min(at, now));
}

function wordsIn(claim: unknown): string[] {
  const all: unknown[] = Array.isArray(claim) ? claim.slice(0, MOST_GROUPS) : [claim];
  return all.filter((one): one is string => typeof one === "string" && one !== "");
}

/** A text of a claim as one line. */
function textIn(claim: unknown): string {
  if (typeof claim !== "string") return "";
  return claim.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim().slice(0, LONGEST);
}
