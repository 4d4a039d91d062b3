import type { Attempts } from "../../calls/abuse/attempts.ts";
import type { Damages } from "../../calls/damages.ts";
import { effectivePermissions, type Principal, scopeOf } from "../../calls/principal.ts";
import type { CheckedRow } from "../../changes/checked-rows.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { inTime } from "../../kernel/in-time.ts";
import { LONGEST_CREDENTIAL_HEADER } from "../../kernel/input-limits.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { Connection } from "../../storage/storage.ts";
import { certsAnswerOf, isInForce, isMistyped } from "./access-token.ts";
import { findTokenByHash } from "./access-tokens.store.ts";
import { addressesOf } from "./address-list.ts";

/**
 * For how long a looked-up access token is trusted: a revocation takes effect everywhere within
 * this time.
 */
const TRUSTED_MS = 1000;
/** Looked-up access tokens kept in memory. */
const KEPT = 1000;

/**
 * Finds out who presents an access token. The caller is kept for a second under the presented text,
 * because hashing the text costs more than the rest of a cached read. After the second all callers
 * are forgotten together.
 */
export class Authenticator {
  readonly #db: Connection;
  readonly #clock: Clock;
  readonly #attempts: Attempts;
  readonly #damages: Damages;
  readonly #whileAway: Map<string, Principal> | undefined;
  readonly #known = new Map<string, Principal>();
  #knownUntil = 0;
  /** Look-ups under way, by token. Of many calls with one token at once, one asks the store. */
  readonly #finding = new Map<string, { since: number; found: Promise<Principal | undefined> }>();

  /**
   * `options.whileAway`: a caller who was found stays known while the store can't be asked. It is
   * meant for gateways that go on verifying then; every other call needs the store itself.
   */
  constructor(
    db: Connection,
    clock: Clock,
    attempts: Attempts,
    damages: Damages,
    options: { whileAway: boolean } = { whileAway: false },
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#attempts = attempts;
    this.#damages = damages;
    this.#whileAway = options.whileAway ? new Map() : undefined;
  }

  /**
   * The principal behind an `Authorization` header's value, raw or with the scheme Bearer;
   * undefined: no one. Not a promise where the caller is in memory.
   */
  authenticate(header: string | null): Principal | undefined | Promise<Principal | undefined> {
    const token = presentedToken(header);
    if (token === undefined) return undefined;
    const now = this.#clock.now();
    if (now >= this.#knownUntil) this.#known.clear();
    return this.#known.get(token) ?? this.#findOnce(token, now);
  }

  /** Joins a look-up of the same token that is under way and no older than look-ups are trusted. */
  #findOnce(token: string, now: number): Promise<Principal | undefined> {
    const underWay = this.#finding.get(token);
    if (underWay && now - underWay.since < TRUSTED_MS) return underWay.found;
    const found = this.#find(token, now).finally(() => {
      if (this.#finding.get(token)?.found === found) this.#finding.delete(token);
    });
    this.#finding.set(token, { since: now, found });
    return found;
  }

  async #find(token: string, now: number): Promise<Principal | undefined> {
    if (isMistyped(token)) return undefined;
    const hash = sha256(token);
    if (this.#attempts.isWrong("access", hash)) return undefined;
    const principal = await this.#lookUpOrRemember(hash, now);
    // Only callers that were found are kept: guesses can't push them out.
    if (principal) this.#keep(token, principal, now);
    return principal;
  }

  /** The SHA-256 of the access token in a header's value; undefined where none can stand there. */
  hashOf(header: string): string | undefined {
    const token = presentedToken(header);
    return token === undefined ? undefined : sha256(token);
  }

  /**
   * The refusal when `authenticate` found no caller: `not_authorised`, or `too_many_requests` once
   * this access token or this address (undefined in process) failed often. A call without a token
   * is no attempt.
   */
  refusal(header: string | null, address: string | undefined): Failure {
    const refused = new Failure("not_authorised");
    if (header === null || header.trim() === "") return refused;
    const token = presentedToken(header);
    const presented = token === undefined ? {} : { credential: sha256(token) };
    return this.#attempts.failed("access", { address, ...presented }) ?? refused;
  }

  /**
   * The refusal of an access token that is not valid from this address: the same one, so that it
   * does not reveal that the token exists. It is not counted by the access token, or a thief of a
   * copy could make its owner wait.
   */
  refusalOfAddress(address: string | undefined): Failure {
    return this.#attempts.failed("access", { address }) ?? new Failure("not_authorised");
  }

  /** Keeps what was looked up at `since`. That may be long ago where the store was slow. */
  #keep(token: string, principal: Principal, since: number): void {
    const until = since + TRUSTED_MS;
    if (this.#clock.now() >= until) return;
    if (this.#known.size >= KEPT) this.#known.clear();
    if (this.#known.size === 0) {
      this.#knownUntil = until;
      // Also when no one asks any more, no access token stays in memory.
      setTimeout(() => this.#known.clear(), TRUSTED_MS).unref();
    }
    this.#knownUntil = Math.min(this.#knownUntil, until);
    this.#known.set(token, principal);
  }

  async #lookUpOrRemember(hash: string, now: number): Promise<Principal | undefined> {
    const kept = this.#whileAway;
    if (kept === undefined) return await this.#lookUp(hash, now);
    const known = kept.get(hash);
    let principal: Principal | undefined;
    try {
      const lookingUp = this.#lookUp(hash, now);
      principal = known === undefined
        ? await lookingUp
        : await inTime(lookingUp, AWAY_PATIENCE_MS, isAway);
    } catch (error) {
      if (known === undefined) throw error;
      return known;
    }
    kept.delete(hash);
    if (kept.size >= KEPT) kept.clear();
    if (principal) kept.set(hash, principal);
    return principal;
  }

  async #lookUp(hash: string, now: number): Promise<Principal | undefined> {
    // The look-up is by the SHA-256 of a long random value: its timing tells nothing that helps to
    // guess one.
    const token = await findTokenByHash(this.#db, { hash });
    if (!token || !isInForce(token, now)) return undefined;
    if (await isDamagedCaller(this.#damages, token)) return undefined;
    const certsAnswer = certsAnswerOf(token);
    return {
      org_id: token.org_id,
      user_id: token.user_id,
      token_id: token.id,
      permissions: effectivePermissions(token.permissions, token.scope),
      ...scopeOf(token),
      ...addressesOf(token),
      ...certsAnswer === null ? {} : { certsAnswer },
    };
  }
}

/** How long a look-up is waited for where memory can answer too, in milliseconds. */
const AWAY_PATIENCE_MS = 250;

function isAway(): never {
  throw new Failure("unavailable");
}

const SCHEME = /^\s*bearer\s+/i;

export function presentedToken(header: string | null): string | undefined {
  if (header === null || header.length > LONGEST_CREDENTIAL_HEADER) return undefined;
  const token = header.replace(SCHEME, "").trim();
  return token === "" ? undefined : token;
}

/** An access token with its person: what decides of each, and the checksums of both. */
type CallerRow =
  & CheckedRow<"access_tokens">
  & Omit<CheckedRow<"users">, "id" | "checksum">
  & { person_checksum: string | null };

/** Whether the row of an access token or of its person is damaged; reports it if so. */
export async function isDamagedCaller(damages: Damages, row: CallerRow): Promise<boolean> {
  if (await damages.refuses("access_tokens", row, row.id)) return true;
  const person = { ...row, id: row.user_id, checksum: row.person_checksum };
  return await damages.refuses("users", person, row.user_id);
}
