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
import { KeyMemory, UnknownNames } from "./key-memory.ts";
import { type KeyFacts, KnownKey, KnownToken, NO_ROUND } from "./known-key.ts";
import { isCurrent, PlanBook } from "./plan-book.ts";
import { limitedBy } from "./plan-grants.ts";
import { findToken, findVerified, type VerifiedRow } from "./verification.store.ts";

/** Keys and tokens kept in memory at most. */
const MOST_KNOWN = 250_000;
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

/** The cached value under the hash of a presented credential. */
export type Entry = KnownKey | KnownToken;

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
  readonly #memory: KeyMemory<Entry>;
  readonly #unknown = new UnknownNames(UNKNOWN_MS, MOST_UNKNOWN);
  readonly #loading = new Map<string, Loading>();
  /**
   * Counts the times that all entries had to be looked at again. An entry of an earlier round is
   * stale.
   */
  #round = 0;

  /** `dropped` hears of the keys that memory has no room for. */
  constructor(
    db: Connection,
    imported: ImportedKeys,
    damages: Damages,
    unknownPlan: UnknownPlanChoice,
    dropped: (keys: KnownKey[]) => void,
  ) {
    this.#db = db;
    this.#imported = imported;
    this.#damages = damages;
    this.#plans = new PlanBook(db, unknownPlan);
    this.#memory = new KeyMemory(MOST_KNOWN, (entries) => dropped(keysOf(entries)));
  }

  /**
   * The cached result: an entry, null for an unknown credential, undefined if the store must be
   * asked. `nowMs` is of performance.now(); -Infinity: however long ago the store was asked, if no
   * change was reported since.
   */
  remembered(org_id: string, hash: string, nowMs: number): Entry | null | undefined {
    const entry = this.#memory.get(org_id, hash);
    if (entry !== undefined && this.#isCurrent(entry, nowMs)) return entry;
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

  /** The key in memory, as it was last seen; or undefined. */
  keyInMemory(org_id: string, key_id: string): KnownKey | undefined {
    return this.#keyIn(org_id, key_id);
  }

  /** Every key in memory. */
  keys(): KnownKey[] {
    return keysOf(this.#memory.values());
  }

  forget({ org_id, kind, object_id }: Omit<Invalidation, "position">): void {
    if (kind === "plan") return this.#plans.forget(org_id, object_id);
    const name = org_id + object_id;
    const entry = this.#memory.peek(org_id, object_id);
    if (entry instanceof KnownKey) entry.round = NO_ROUND;
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
        const key = this.#keyIn(org_id, hash) ?? new KnownKey(org_id, hash, facts, grants);
        key.facts = facts;
        key.grants = conditions ? limitedBy(grants, conditions) : grants;
        key.looks++;
        key.lookedAt = Math.floor(performance.now());
        key.notedAt = Math.max(key.notedAt, instant(row.last_used_at, 0));
        key.round = round;
        this.#memory.set(org_id, hash, key);
        return key;
      }
      if (token) {
        const found = await this.#loadToken(org_id, hash, token.key_id);
        if (found === "changed" || loading.givenUp) continue;
        if (found) {
          this.#memory.set(org_id, hash, found);
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
    const { looks } = key;
    const token = await findToken(this.#db, tokenNames(org_id, hash));
    if (token?.key_id !== key_id) return null;
    if (!this.#isCurrent(key, performance.now()) || key.looks !== looks) return "changed";
    return new KnownToken(key, looks, Date.parse(token.expires_at));
  }

  #isCurrent(entry: Entry, nowMs: number): boolean {
    if (entry instanceof KnownToken) {
      const { key } = entry;
      // Another entry is under the name: this one was pushed out of memory and hears of no change
      // any more.
      return this.#memory.get(key.org_id, key.key_id) === key && key.looks === entry.looks &&
        this.#isCurrent(key, nowMs);
    }
    return entry.round === this.#round && nowMs - entry.lookedAt < LOOKED_AT_MS &&
      isCurrent(entry.grants);
  }

  #keyIn(org_id: string, hash: string): KnownKey | undefined {
    const entry = this.#memory.peek(org_id, hash);
    return entry instanceof KnownKey ? entry : undefined;
  }
}

interface Loading {
  done: Promise<Entry | null>;
  /** True when a change of what the look reads arrived meanwhile. */
  overtaken: boolean;
  /** True when no one waits for the look any more. */
  givenUp: boolean;
}

function keysOf(entries: Iterable<Entry>): KnownKey[] {
  return [...entries].filter((entry) => entry instanceof KnownKey);
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
