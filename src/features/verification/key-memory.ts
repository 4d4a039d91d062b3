import { Buffer } from "node:buffer";
import { HashedRows } from "../../kernel/hashed-rows.ts";
import { type KeyFacts, KnownKey, type KnownToken } from "./known-key.ts";
import type { PlanGrants } from "./plan-grants.ts";
import type { QuotaState } from "./quota-leases.ts";
import type { RateState } from "./rate.ts";

/** One plan's use by one key on this node. */
export class PlanUse implements RateState, QuotaState {
  fullAt = 0;
  intervalMs = 0;
  period = -1;
  left = 0;
  used = 0;
  refusedUntil = 0;
  refusedMax = 0;
  leasing: Promise<void> | null = null;

  /** `next`: the use of another plan by the same key. */
  constructor(readonly plan_id: string, readonly next: PlanUse | undefined) {}
}

/** Quotas of a key, under the key id that they are counted under. */
export interface KeyQuotas {
  readonly org_id: string;
  readonly quotaKey: string;
  readonly uses: PlanUse;
}

/** When the store was looked at. */
interface Look {
  /** The round of the memory's owner in which it began. */
  readonly round: number;
  /** Of performance.now(). */
  readonly at: number;
}

/** The part of an entry that has no place in its row; few have any. */
class More {
  secret_hash: string | null = null;
  /** Undefined: the key's own id. */
  quotaKey: string | undefined;
  conditions: KeyFacts["conditions"] = null;
  /** Of a token: its client's key id. */
  client: string | undefined;
  /** Undefined: they are in the row. */
  texts: Texts | undefined;
  /** By plan, apart from the one rate that is in the row. */
  uses: PlanUse | undefined;
}

type Texts = Pick<KeyFacts, "mask" | "developer_id" | "developer_email">;

/** The places of an entry's numbers in its row. */
const LOOKS = 0;
const LOOKED_AT = 8;
const NOTED_AT = 16;
const ISSUED_AT = 24;
const EXPIRES_AT = 32;
const FULL_AT = 40;
const INTERVAL_MS = 48;
const ROUND = 56;
const RATE_PLAN = 60;
const HALF = 64;
const KIND = 65;
const STATE = 66;
const EMAIL_VERIFIED = 67;
/** How many bytes each text has, and where they begin, one behind the other. */
const MASK_LENGTH = 68;
const DEVELOPER_LENGTH = 69;
const EMAIL_LENGTH = 70;
const TEXTS = 71;
/** A mask, an id of 24 digits and an e-mail of 26 bytes; longer ones are kept beside the row. */
const TEXTS_BYTES = 61;
const ROW_BYTES = TEXTS + TEXTS_BYTES;

const KINDS = ["token", "basic", "oauth"] as const;
const STATES = ["active", "suspended", "revoked", "damaged"] as const;
/** The round that no memory is in. */
const NO_ROUND = -1;

/**
 * The bounded cache of credentials by their hashes: at most `most` entries in all, and the least
 * recently used go first. Kept in two halves: used entries come into the newer half, and when that
 * is full it becomes the older one and the entries of the one before are dropped. So the last
 * `most / 2` used entries never go, and no use costs a sort.
 *
 * An entry is a row of some 200 bytes. Each call makes an object of it, and none is kept. Counters
 * outlive a new look at the store.
 */
export class KeyMemory {
  readonly #half: number;
  readonly #dropped: (quotas: KeyQuotas[]) => void;
  readonly #rows = new HashedRows(ROW_BYTES);
  /** Undefined: the row is a token's. */
  readonly #grants: (PlanGrants | undefined)[] = [];
  readonly #more: (More | undefined)[] = [];
  /** Plans whose rate is in a row, by the number that it has there; 0: none. */
  readonly #planNumbers = new Map<string, number>();
  /** The number of the newer half, 0 or 1, and how many entries it has. */
  #newer = 0;
  #newerSize = 0;
  #looks = 0;

  /** `dropped` hears of the quotas of the entries that go. */
  constructor(most: number, dropped: (quotas: KeyQuotas[]) => void) {
    this.#half = Math.max(1, Math.floor(most / 2));
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** The row of a hash, which is used now; -1: it is not in memory. */
  use(org_id: string, hash: string): number {
    const row = this.#rows.find(org_id, hash);
    if (row >= 0) this.#renew(row);
    return row;
  }

  /** As `use`, without counting as a use. */
  peek(org_id: string, hash: string): number {
    return this.#rows.find(org_id, hash);
  }

  /** Whether an entry is of this round, and was looked at after `since`. */
  isOf(row: number, round: number, since: number): boolean {
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row);
    return view.getInt32(at + ROUND) === round && view.getFloat64(at + LOOKED_AT) > since;
  }

  /** The grants of a key; undefined: the row is a token's. */
  grantsAt(row: number): PlanGrants | undefined {
    return this.#grants[row];
  }

  /** The key id of a token's client; undefined: the row is a key's. */
  clientAt(row: number): string | undefined {
    return this.#more[row]?.client;
  }

  /** Differs for each look at a key; of a token: the look at its client. */
  looksAt(row: number): number {
    return this.#rows.viewOf(row).getFloat64(this.#rows.offsetOf(row) + LOOKS);
  }

  /** When a token ends. */
  endAt(row: number): number {
    return this.#rows.viewOf(row).getFloat64(this.#rows.offsetOf(row) + EXPIRES_AT);
  }

  /** The key of a row that is a key's; `key_id`: its hash. */
  keyAt(row: number, key_id: string): KnownKey | undefined {
    const grants = this.#grants[row];
    if (grants === undefined) return undefined;
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row);
    const more = this.#more[row];
    const { mask, developer_id, developer_email } = more?.texts ?? this.#textsAt(row);
    const facts: KeyFacts = {
      kind: KINDS[view.getUint8(at + KIND)] ?? "token",
      state: STATES[view.getUint8(at + STATE)] ?? "damaged",
      secret_hash: more?.secret_hash ?? null,
      mask,
      developer_id,
      developer_email,
      email_verified: view.getUint8(at + EMAIL_VERIFIED) !== 0,
      issuedAt: view.getFloat64(at + ISSUED_AT),
      quotaKey: more?.quotaKey ?? key_id,
      expiresAt: view.getFloat64(at + EXPIRES_AT),
      conditions: more?.conditions ?? null,
    };
    const org_id = this.#rows.orgOf(row);
    return new KnownKey(org_id, key_id, facts, grants, row, view.getFloat64(at + LOOKS));
  }

  /** Keeps a key, as used now; `usedAt`: when the store says that it was. */
  setKey(
    org_id: string,
    key_id: string,
    facts: KeyFacts,
    grants: PlanGrants,
    look: Look,
    usedAt: number,
  ): KnownKey {
    const row = this.#rowFor(org_id, key_id);
    this.#grants[row] = grants;
    this.#more[row] = this.#moreOf(row, key_id, facts);
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row);
    view.setUint8(at + KIND, KINDS.indexOf(facts.kind));
    view.setUint8(at + STATE, STATES.indexOf(facts.state));
    view.setUint8(at + EMAIL_VERIFIED, facts.email_verified ? 1 : 0);
    view.setInt32(at + ROUND, look.round);
    view.setFloat64(at + LOOKED_AT, look.at);
    view.setFloat64(at + LOOKS, ++this.#looks);
    view.setFloat64(at + NOTED_AT, Math.max(view.getFloat64(at + NOTED_AT), usedAt));
    view.setFloat64(at + ISSUED_AT, facts.issuedAt);
    view.setFloat64(at + EXPIRES_AT, facts.expiresAt);
    return new KnownKey(org_id, key_id, facts, grants, row, this.#looks);
  }

  /** Keeps a token, as used now. */
  setToken(hash: string, { key, expiresAt }: KnownToken): void {
    const row = this.#rowFor(key.org_id, hash);
    this.#clear(row);
    const more = new More();
    more.client = key.key_id;
    this.#more[row] = more;
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row);
    view.setFloat64(at + LOOKS, key.looks);
    view.setFloat64(at + EXPIRES_AT, expiresAt);
  }

  /** A key must be looked at again. */
  forget(org_id: string, key_id: string): void {
    const row = this.peek(org_id, key_id);
    if (row >= 0) this.#rows.viewOf(row).setInt32(this.#rows.offsetOf(row) + ROUND, NO_ROUND);
  }

  /** The rate of one of the key's plans; counts for nothing if the key is not in memory. */
  rateOf(key: KnownKey, plan_id: string): RateState {
    const row = this.#rowOf(key);
    if (row < 0) return new PlanUse(plan_id, undefined);
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row);
    const own = view.getUint32(at + RATE_PLAN);
    const number = this.#numberOf(plan_id);
    if (own !== 0 && own !== number) return this.#useOf(row, plan_id);
    view.setUint32(at + RATE_PLAN, number);
    return new RowRate(view, at);
  }

  /** The quota of one of the key's plans; counts for nothing if the key is not in memory. */
  quotaOf(key: KnownKey, plan_id: string): QuotaState {
    const row = this.#rowOf(key);
    return row < 0 ? new PlanUse(plan_id, undefined) : this.#useOf(row, plan_id);
  }

  /** The uses of a key's plans, apart from the rate in its row; undefined: none. */
  usesAt(row: number): PlanUse | undefined {
    return this.#more[row]?.uses;
  }

  /** Notes that a key is used now, unless that was noted within `everyMs`. Gives whether it was. */
  noteUse(key: KnownKey, now: number, everyMs: number): boolean {
    const row = this.#rowOf(key);
    if (row < 0) return true;
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row) + NOTED_AT;
    if (now - view.getFloat64(at) < everyMs) return false;
    view.setFloat64(at, now);
    return true;
  }

  /** All quotas in memory. */
  quotas(): KeyQuotas[] {
    return this.#quotasOf(this.#rowsOfHalf(0)).concat(this.#quotasOf(this.#rowsOfHalf(1)));
  }

  /** The row that the key was read from, or has now. */
  #rowOf({ org_id, key_id, row, looks }: KnownKey): number {
    // A row that another entry got since is of another look.
    return row >= 0 && this.looksAt(row) === looks && this.#grants[row] !== undefined
      ? row
      : this.peek(org_id, key_id);
  }

  #useOf(row: number, plan_id: string): PlanUse {
    const more = this.#more[row] ??= new More();
    for (let use = more.uses; use; use = use.next) if (use.plan_id === plan_id) return use;
    return more.uses = new PlanUse(plan_id, more.uses);
  }

  /** The row of a hash, used now: the one that it has, or a new one. */
  #rowFor(org_id: string, hash: string): number {
    const known = this.use(org_id, hash);
    if (known >= 0) return known;
    const row = this.#rows.add(org_id, hash);
    this.#clear(row);
    this.#rows.viewOf(row).setUint8(this.#rows.offsetOf(row) + HALF, this.#newer);
    this.#grown();
    return row;
  }

  #renew(row: number): void {
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row) + HALF;
    if (view.getUint8(at) === this.#newer) return;
    view.setUint8(at, this.#newer);
    this.#grown();
  }

  /** The newer half has one entry more. */
  #grown(): void {
    if (++this.#newerSize < this.#half) return;
    const older = 1 - this.#newer;
    const rows = this.#rowsOfHalf(older);
    const quotas = this.#quotasOf(rows);
    for (const row of rows) this.#clear(row);
    this.#rows.deleteAll(rows);
    this.#newer = older;
    this.#newerSize = 0;
    if (quotas.length > 0) this.#dropped(quotas);
  }

  #rowsOfHalf(half: number): number[] {
    const found: number[] = [];
    for (let row = 0; row < this.#rows.end; row++) {
      if (!this.#rows.has(row)) continue;
      if (this.#rows.viewOf(row).getUint8(this.#rows.offsetOf(row) + HALF) === half) {
        found.push(row);
      }
    }
    return found;
  }

  #quotasOf(rows: readonly number[]): KeyQuotas[] {
    const found: KeyQuotas[] = [];
    for (const row of rows) {
      const more = this.#more[row];
      if (more?.uses === undefined) continue;
      const { uses } = more;
      const quotaKey = more.quotaKey ?? this.#rows.hashOf(row);
      found.push({ org_id: this.#rows.orgOf(row), quotaKey, uses });
    }
    return found;
  }

  /** Everything that is not in the row's bytes. */
  #clear(row: number): void {
    this.#grants[row] = undefined;
    this.#more[row] = undefined;
  }

  /** Writes a key's texts into its row; gives what does not fit there, undefined: nothing. */
  #moreOf(row: number, key_id: string, facts: KeyFacts): More | undefined {
    const { secret_hash, conditions } = facts;
    const uses = this.#more[row]?.uses;
    const quotaKey = facts.quotaKey === key_id ? undefined : facts.quotaKey;
    const texts = this.#writeTexts(row, facts) ? undefined : textsOf(facts);
    if (!uses && !texts && secret_hash === null && conditions === null && quotaKey === undefined) {
      return undefined;
    }
    return Object.assign(new More(), { secret_hash, conditions, quotaKey, texts, uses });
  }

  /** False: they have no room in the row. */
  #writeTexts(row: number, { mask, developer_id, developer_email }: Texts): boolean {
    const all = mask + developer_id + developer_email;
    if (Buffer.byteLength(all) > TEXTS_BYTES || !all.isWellFormed()) return false;
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row);
    view.setUint8(at + MASK_LENGTH, Buffer.byteLength(mask));
    view.setUint8(at + DEVELOPER_LENGTH, Buffer.byteLength(developer_id));
    view.setUint8(at + EMAIL_LENGTH, Buffer.byteLength(developer_email));
    this.#rows.writeText(row, TEXTS, all);
    return true;
  }

  #textsAt(row: number): Texts {
    const view = this.#rows.viewOf(row);
    const at = this.#rows.offsetOf(row);
    const developer = TEXTS + view.getUint8(at + MASK_LENGTH);
    const email = developer + view.getUint8(at + DEVELOPER_LENGTH);
    return {
      mask: this.#rows.readText(row, TEXTS, developer - TEXTS),
      developer_id: this.#rows.readText(row, developer, email - developer),
      developer_email: this.#rows.readText(row, email, view.getUint8(at + EMAIL_LENGTH)),
    };
  }

  #numberOf(plan_id: string): number {
    const known = this.#planNumbers.get(plan_id);
    if (known !== undefined) return known;
    const number = this.#planNumbers.size + 1;
    this.#planNumbers.set(plan_id, number);
    return number;
  }
}

/** A rate whose numbers are in a row; to be used at once. */
class RowRate implements RateState {
  readonly #view: DataView;
  readonly #at: number;

  constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
  }

  get fullAt(): number {
    return this.#view.getFloat64(this.#at + FULL_AT);
  }

  set fullAt(at: number) {
    this.#view.setFloat64(this.#at + FULL_AT, at);
  }

  get intervalMs(): number {
    return this.#view.getFloat64(this.#at + INTERVAL_MS);
  }

  set intervalMs(ms: number) {
    this.#view.setFloat64(this.#at + INTERVAL_MS, ms);
  }
}

function textsOf({ mask, developer_id, developer_email }: Texts): Texts {
  return { mask, developer_id, developer_email };
}
