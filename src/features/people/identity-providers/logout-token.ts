import type { ServiceContext } from "../../../calls/context.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import {
  identityHandle,
  type Provider,
  providerSession,
  type ProviderTerms,
} from "./identity-provider.ts";
import { TOLERANCE_S } from "./provider-client.ts";
import { keysOf, metadataOf } from "./provider-calls.ts";

/**
 * The sessions that a provider ends: one of its own, all of an account, or the former of the
 * latter.
 */
export interface ProvedLogout {
  org_id: string;
  provider_id: string;
  provider_session: string | null;
  /** The sessions that it also ends, by the settings. */
  ends: ProviderTerms["logout_ends"];
  /** The account's handle. */
  handle: string | null;
  /** By what the token is kept, so that it counts once. */
  spent: { hash: string; expires_at: string };
}

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** The possible types; some providers set no more than that it is a JWT, or none. */
const TYPES = ["logout+jwt", "application/logout+jwt", "jwt"];

/** Signatures that are taken: no `none`, and none by a shared secret. */
export const ALGORITHMS: readonly string[] = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** How old a token may be, in seconds; it is kept for longer, so that none comes again. */
const OLDEST_S = 300;

/**
 * The sessions that a logout token ends (OpenID Connect Back-Channel Logout 1.0, 2.6); undefined:
 * it is none of this provider. Throws ProviderAway.
 */
export async function provedLogout(
  ctx: Pick<ServiceContext, "outbound" | "clock">,
  provider: Provider,
  token: string,
): Promise<ProvedLogout | undefined> {
  const { org_id, id: provider_id, terms } = provider;
  const { issuer, client_id, logout_ends: ends } = terms;
  const { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } = await import("jose");
  const now = ctx.clock.now();
  let kid: string | undefined;
  try {
    kid = decodeProtectedHeader(token).kid;
    // No one is asked for the keys of what does not even say that it is for us.
    const said = decodeJwt(token);
    if (said.iss !== issuer || ![said.aud].flat().includes(client_id)) return undefined;
  } catch {
    return undefined;
  }
  const metadata = await metadataOf(ctx, provider);
  const keys = await keysOf(ctx, provider, metadata.jwks_uri, kid);
  try {
    // as: createLocalJWKSet throws for what is no set of keys.
    const set = createLocalJWKSet(keys as unknown as Parameters<typeof createLocalJWKSet>[0]);
    const { payload, protectedHeader: { typ } } = await jwtVerify(token, set, {
      issuer,
      audience: client_id,
      algorithms: [...ALGORITHMS],
      clockTolerance: TOLERANCE_S,
      maxTokenAge: OLDEST_S,
      currentDate: new Date(now),
      // Not `exp`: some leave it out, and its age is bounded by `iat` in any case.
      requiredClaims: ["iat", "jti", "events"],
    });
    if (typ !== undefined && !TYPES.includes(typ.toLowerCase())) return undefined;
    const { sub, sid, jti, nonce, events } = payload;
    if (nonce !== undefined || typeof jti !== "string") return undefined;
    if (typeof events !== "object" || events === null || !(EVENT in events)) return undefined;
    const handle = typeof sub === "string" ? identityHandle(org_id, provider_id, sub) : null;
    const provider_session = typeof sid === "string" ? providerSession(provider_id, sid) : null;
    if (handle === null && provider_session === null) return undefined;
    const hash = sha256(`logout token\0${provider_id}\0${jti}`);
    const expires_at = toTimestamp(now + (OLDEST_S + 2 * TOLERANCE_S) * 1000);
    return { org_id, provider_id, provider_session, ends, handle, spent: { hash, expires_at } };
  } catch {
    // It throws for whatever a stranger can have sent.
    return undefined;
  }
}
