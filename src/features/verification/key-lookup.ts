import type { UnknownPlanChoice } from "../../calls/context.ts";
import type { Damages } from "../../calls/damages.ts";
import type { Invalidation } from "../../changes/invalidations.store.ts";
import { Failure } from "../../kernel/failure.ts";
import { inTime } from "../../kernel/in-time.ts";
import type { Connection } from "../../storage/storage.ts";
import { type GatewayConditions, gatewayConditions } from "../keys/gateway-conditions.ts";
import { conditionalHash } from "../keys/key-conditions.ts";
import type { ImportedKeys } from "./imported-keys.ts";
import type { Forgetful } from "./invalidation-watch.ts";
import { KeyMemory, type KeyQuotas } from "./key-memory.ts";
import { type Entry, type KeyFacts, KnownKey, KnownToken } from "./known-key.ts";
import { isCurrent, PlanBook } from "./plan-book.ts";
import { limitedBy } from "./plan-grants.ts";
import { UnknownNames } from "./unknown-names.ts";
import { findToken, findVerified, type VerifiedRow } from "./verification.store.ts";

/** Keys and tokens kept in memory at most. */
const MOST_KNOWN = 300_000;
/** For how long unknown keys are remembered as unknown, and how many of them. */
const UNKNOWN_MS = 1000;
const MOST_UNKNOWN = 50_000;
/**
 * After this long a key is looked at again although nothing was heard: a developer's e-mail is not
 * announced.
 */
const LOOKED_AT_MS = 10 * 60 * 1000;
/** A look at the store is given up after this long. */
const PATIENCE_MS = 5000;
/** A look at the store is given up when this many changes of the same key overtake it. */
const ATTEMPTS = 5;

/**
 * Keys by the hash of what is presented, from memory where they are known. An entry holds what the
 * store said after the last change that this process heard of: when a change of the key arrives
 * during a look, the look is repeated.
 */
export class KeyLookup implements Forgetful {
  readonly #db: Connection;
  readonly #imported: ImportedKeys;
  readonly #damages: Damages;
  readonly #plans: PlanBook;
  /** The keys in memory, with what they counted. */
  readonly memory: KeyMemory;
  readonly #unknown = new UnknownNames(UNKNOWN_MS, MOST_UNKNOWN);
  readonly #loading = new Map<string, Loading>();
  /**
   * Counts the times that all entries had to be looked at again. An entry of an earlier round is
   * stale.
   */
  #round = 0;

  /** `dropped` hears of the quotas of keys that memory has no room for. */
  constructor(
    db: Connection,
    imported: ImportedKeys,
    damages: Damages,
    unknownPlan: UnknownPlanChoice,
    dropped: (quotas: KeyQuotas[]) => void,
  ) {
    this.#db = db;
    this.#imported = imported;
    this.#damages = damages;
    this.#plans = new PlanBook(db, unknownPlan);
    this.memory = new KeyMemory(MOST_KNOWN, dropped);
  }

  /**
   * The cached result: an entry, null for an unknown credential, undefined if the store must be
   * asked. `nowMs` is of performance.now(); -Infinity: however long ago the store was asked, if no
   * change was reported since.
   */
  remembered(org_id: string, hash: string, nowMs: number): Entry | null | undefined {
    const entry = this.#current(org_id, hash, nowMs);
    if (entry !== undefined) return entry;
    return this.#unknown.has(org_id + hash, nowMs) ? null : undefined;
  }

  /**
   * The store's entry of a presented credential; it is cached. Concurrent look-ups of the same one
   * are one.
   */
  async find(org_id: string, hash: string, presented: string): Promise<Entry | null> {
    const known = this.remembered(org_id, hash, performance.now());
    if (known !== undefined) return known;
    const name = org_id + hash;
    const loading = this.#loading.get(name);
    if (loading) return await loading.done;
    const own: Loading = { done: Promise.resolve(null), overtaken: false, givenUp: false };
    this.#loading.set(name, own);
    own.done = this.#loadInTime(org_id, hash, presented, own).finally(() => {
      this.#loading.delete(name);
    });
    return await own.done;
  }

  /**
   * The entry without presenting the credential: an imported key that was never used is given as it
   * is, and gets no other id.
   */
  async look(org_id: string, hash: string, presented: string): Promise<Entry | null> {
    const known = this.remembered(org_id, hash, performance.now());
    if (known !== undefined) return known;
    if (
      presented === "" || !await this.#imported.hasAny(org_id) ||
      await findVerified(this.#db, { org_id, key_id: hash }) ||
      await findToken(this.#db, tokenNames(org_id, hash))
    ) {
      return await this.find(org_id, hash, presented);
    }
    const row = await this.#imported.unused(org_id, presented);
    return row ? await this.#unusedKey(row) : null;
  }

  /** Not kept: its first use gives it another id. */
  async #unusedKey(row: VerifiedRow): Promise<KnownKey> {
    const { org_id, key_id } = row;
    const isDamaged = await this.#damages.refuses("credentials", row, key_id);
    const grants = await this.#plans.grantsOf(org_id, isDamaged ? "[]" : row.plans);
    const facts = factsOf(row, key_id, isDamaged, gatewayConditions(row));
    return new KnownKey(org_id, key_id, facts, grants);
  }

  forget({ org_id, kind, object_id }: Omit<Invalidation, "position">): void {
    if (kind === "plan") return this.#plans.forget(org_id, object_id);
    const name = org_id + object_id;
    this.memory.forget(org_id, object_id);
    this.#unknown.delete(name);
    const loading = this.#loading.get(name);
    if (loading) loading.overtaken = true;
  }

  forgetAll(): void {
    this.#round++;
    this.#plans.forgetAll();
    for (const loading of this.#loading.values()) loading.overtaken = true;
  }

  /**
   * Gives up a look that hangs: later looks must not wait for it, and its answer would be older
   * than they know.
   */
  async #loadInTime(
    org_id: string,
    hash: string,
    presented: string,
    loading: Loading,
  ): Promise<Entry | null> {
    return await inTime(this.#load(org_id, hash, presented, loading), PATIENCE_MS, () => {
      loading.givenUp = true;
      throw new Failure("unavailable");
    });
  }

  async #load(
    org_id: string,
    hash: string,
    presented: string,
    loading: Loading,
  ): Promise<Entry | null> {
    for (let attempt = 0; attempt < ATTEMPTS && !loading.givenUp; attempt++) {
      loading.overtaken = false;
      const round = this.#round;
      const mayBeImported = await this.#imported.hasAny(org_id);
      // Key and token are always both asked for: the time of an answer must not tell which of them
      // exists.
      let row = await findVerified(this.#db, { org_id, key_id: hash });
      const token = await findToken(this.#db, tokenNames(org_id, hash));
      if (!row && !token && mayBeImported) {
        await this.#imported.adopt(org_id, presented, hash);
        row = await findVerified(this.#db, { org_id, key_id: hash });
      }
      if (row) {
        const isDamaged = await this.#damages.refuses("credentials", row, hash);
        const grants = await this.#plans.grantsOf(org_id, isDamaged ? "[]" : row.plans);
        if (loading.overtaken || loading.givenUp) continue;
        const conditions = gatewayConditions(row);
        const facts = factsOf(row, hash, isDamaged, conditions);
        const limited = conditions ? limitedBy(grants, conditions) : grants;
        const look = { round, at: Math.floor(performance.now()) };
        const usedAt = instant(row.last_used_at, 0);
        return this.memory.setKey(org_id, hash, facts, limited, look, usedAt);
      }
      if (token) {
        const found = await this.#loadToken(org_id, hash, token.key_id);
        if (found === "changed" || loading.givenUp) continue;
        if (found) {
          this.memory.setToken(hash, found);
          return found;
        }
      }
      if (loading.overtaken || loading.givenUp) continue;
      this.#unknown.add(org_id + hash, performance.now());
      return null;
    }
    throw new Failure("unavailable");
  }

  /**
   * Reads the client before its token: whatever ends either of them is announced as a change of the
   * client.
   */
  async #loadToken(
    org_id: string,
    hash: string,
    key_id: string,
  ): Promise<KnownToken | null | "changed"> {
    // A client that has got a token is known by its SHA-256 already.
    const key = await this.find(org_id, key_id, "");
    if (!(key instanceof KnownKey)) return null;
    const token = await findToken(this.#db, tokenNames(org_id, hash));
    if (token?.key_id !== key_id) return null;
    const row = this.memory.use(org_id, key_id);
    if (!this.#isCurrent(row, performance.now()) || this.memory.looksAt(row) !== key.looks) {
      return "changed";
    }
    return new KnownToken(key, Date.parse(token.expires_at));
  }

  /** The entry of a hash, if nothing was reported since it was looked at. */
  #current(org_id: string, hash: string, nowMs: number): Entry | undefined {
    const { memory } = this;
    const row = memory.use(org_id, hash);
    if (row < 0) return undefined;
    const client = memory.clientAt(row);
    if (client === undefined) {
      return this.#isCurrent(row, nowMs) ? memory.keyAt(row, hash) : undefined;
    }
    const of = memory.use(org_id, client);
    // A look at the client since: the token is looked for again too.
    if (!this.#isCurrent(of, nowMs) || memory.looksAt(of) !== memory.looksAt(row)) return undefined;
    const key = memory.keyAt(of, client);
    return key && new KnownToken(key, memory.endAt(row));
  }

  /** Whether a row is a key's, of which nothing was reported since it was looked at. */
  #isCurrent(row: number, nowMs: number): boolean {
    const grants = row < 0 ? undefined : this.memory.grantsAt(row);
    return grants !== undefined && this.memory.isOf(row, this.#round, nowMs - LOOKED_AT_MS) &&
      isCurrent(grants);
  }
}

interface Loading {
  done: Promise<Entry | null>;
  /** True when a change of what the look reads arrived meanwhile. */
  overtaken: boolean;
  /** True when no one waits for the look any more. */
  givenUp: boolean;
}

function tokenNames(org_id: string, hash: string) {
  return { org_id, hash, conditional: conditionalHash(hash) };
}

/**
 * `key_id`: the row's, as the memory has it already; `conditions` undefined: they can't be read.
 */
function factsOf(
  row: VerifiedRow,
  key_id: string,
  isDamaged: boolean,
  conditions: GatewayConditions | null | undefined,
): KeyFacts {
  // Members are written out: hundreds of thousands are kept, and an object made by spreading takes
  // more room. Each text of a row is a copy, so what many rows share is the one that is here.
  return {
    kind: KINDS[row.kind],
    state: isDamaged || conditions === undefined ? "damaged" : STATES[row.state],
    secret_hash: row.secret_hash,
    mask: row.mask,
    developer_id: row.developer_id,
    developer_email: row.email_key ?? "",
    email_verified: isEmailVerified(row),
    issuedAt: Date.parse(row.quota_from ?? row.issued_at),
    quotaKey: row.quota_key ?? key_id,
    expiresAt: instant(row.expires_at, Infinity),
    conditions: conditions ?? null,
  };
}

const KINDS = { token: "token", basic: "basic", oauth: "oauth" } as const;
const STATES = { active: "active", suspended: "suspended", revoked: "revoked" } as const;

/** Whether the developer's present address is theirs, and mail to it reached them. */
function isEmailVerified({ verified_address, proof_state, proof_address }: VerifiedRow): boolean {
  if (verified_address === null) return false;
  return proof_state === null || (proof_state === "proved" && proof_address === verified_address);
}

function instant(text: string | null, absent: number): number {
  return text === null ? absent : Date.parse(text);
}
