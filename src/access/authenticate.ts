import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/sha256.ts";
import type { Connection } from "../storage/storage.ts";
import { findTokenByHash } from "./access.store.ts";
import { parsePermissions, type Principal } from "./principal.ts";

/** For how long a looked-up credential is trusted: a revocation takes effect everywhere within this time. */
const TRUSTED_MS = 1000;
/** Looked-up credentials kept in memory. */
const KEPT = 1000;
/** No credential of ours is longer; a longer header value is refused before it is hashed. */
const LONGEST_CREDENTIAL = 4096;

/** Finds out who presents a credential. Keeps hashes only, never what was presented. */
export class Authenticator {
  readonly #db: Connection;
  readonly #clock: Clock;
  readonly #known = new Map<string, { principal: Principal; until: number }>();

  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** The principal behind an `Authorization` header's value, raw or with the scheme Bearer; undefined: nobody. */
  async authenticate(header: string | null): Promise<Principal | undefined> {
    const credential = presentedCredential(header);
    if (credential === undefined) return undefined;
    const hash = sha256(credential);
    const now = this.#clock.now();
    const known = this.#known.get(hash);
    if (known && now < known.until) return known.principal;
    const principal = await this.#lookUp(hash, now);
    // Only those that were found are kept, so that guesses can't push them out.
    if (this.#known.size >= KEPT) this.#known.clear();
    if (principal) this.#known.set(hash, { principal, until: now + TRUSTED_MS });
    else this.#known.delete(hash);
    return principal;
  }

  async #lookUp(hash: string, now: number): Promise<Principal | undefined> {
    // The look-up is by the SHA-256 of a long random value: its timing tells nothing that helps to guess one.
    const token = await findTokenByHash(this.#db, hash);
    if (!token || token.revoked_at !== null) return undefined;
    if (token.expires_at !== null && Date.parse(token.expires_at) <= now) return undefined;
    return {
      org_id: token.org_id,
      user_id: token.user_id,
      token_id: token.id,
      permissions: parsePermissions(token.permissions),
    };
  }
}

function presentedCredential(header: string | null): string | undefined {
  if (header === null || header.length > LONGEST_CREDENTIAL) return undefined;
  const credential = header.replace(/^\s*bearer\s+/i, "").trim();
  return credential === "" ? undefined : credential;
}
