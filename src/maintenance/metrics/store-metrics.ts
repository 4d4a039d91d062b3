import { countOpenTemporaryAccess } from "../../features/people/temporary-access.store.ts";
import { endOfDays, secondAt } from "../../features/certificates/selection.ts";
import { LONGEST_MS } from "../../features/gateways/canary.ts";
import { SLOW_MS } from "../../contract/gateway-states.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { inTime } from "../../kernel/in-time.ts";
import type { Connection } from "../../storage/storage.ts";
import { findScrub } from "../damage/scrub.store.ts";
import * as store from "./metrics.store.ts";

/** For so long the store is not asked again. */
const KEPT_MS = 5000;
/** And so many times as long as it took. */
const KEPT_FACTOR = 100;
/** A store that says nothing for so long is away: a scrape waits ten seconds as a rule. */
const PATIENCE_MS = 2000;

/** Gateways are tried each minute: what is older says nothing of now. */
const CANARY_MS = 5 * 60 * 1000;

/** Queues that lie in the store. */
type StoredQueue = "fan_out" | "deliveries" | "search" | "leaks";

/** Why a channel is not sent to, and whether it is. */
type ChannelState = "active" | "paused" | "failing";

/** The metrics of the store. Instants are in milliseconds since 1970; null: there is none. */
interface StoreMetrics {
  readonly pending: { readonly length: number; readonly oldestAt: number | null };
  readonly queues: Readonly<Record<StoredQueue, { length: number; oldestAt: number | null }>>;
  readonly deadLetters: number;
  readonly channels: Readonly<Record<ChannelState, number>>;
  readonly keysAtGateways: Readonly<Record<store.KeyProblem, number>>;
  readonly failingGateways: number;
  /** Of the slowest gateway, in milliseconds; null: none was tried. */
  readonly canaries: {
    readonly opened: number | null;
    readonly shut: number | null;
    readonly slow: number;
  };
  readonly certificates: Readonly<Record<Band, number>>;
  readonly damages: readonly { object: string; n: number }[];
  readonly temporaryAccesses: number;
  readonly scrubRoundAt: number | null;
}

/** The bands by which certificates are counted that expire. */
type Band =
  | "expired"
  | "within_7_days"
  | "within_30_days"
  | "within_90_days"
  | "later"
  | "never"
  | "invalid";

/** The last answer of the store, and its age. `isUp` false: it does not answer now. */
export interface StoreAnswer {
  readonly isUp: boolean;
  readonly metrics: StoreMetrics | undefined;
  readonly ageMs: number;
}

/** Asks the store for its metrics, seldom enough for no one to notice. */
export class StoreQuestions {
  #last: { metrics: StoreMetrics; at: number; tookMs: number } | undefined;
  #failedAt = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(private readonly db: Connection, private readonly now: () => number) {}

  /** Never throws. Several at once wait for one look. */
  async answer(): Promise<StoreAnswer> {
    const at = performance.now();
    if (!this.#isFresh(at) && at - this.#failedAt > KEPT_MS) {
      this.#asking ??= this.#ask().finally(() => this.#asking = undefined);
      await inTime(this.#asking, PATIENCE_MS, () => void (this.#failedAt = performance.now()));
    }
    const now = performance.now();
    const isUp = this.#isFresh(now);
    const ageMs = this.#last ? now - this.#last.at : 0;
    return { isUp, metrics: isUp ? this.#last?.metrics : undefined, ageMs };
  }

  #isFresh(now: number): boolean {
    if (!this.#last) return false;
    const keptMs = Math.max(KEPT_MS, KEPT_FACTOR * this.#last.tookMs);
    return now - this.#last.at <= keptMs;
  }

  async #ask(): Promise<void> {
    const at = performance.now();
    try {
      const metrics = await ask(this.db, this.now());
      this.#last = { metrics, at, tookMs: performance.now() - at };
    } catch {
      // `keydesk_store_up` says that the store is unavailable, as does every call.
      this.#failedAt = performance.now();
      this.#last = undefined;
    }
  }
}

async function ask(db: Connection, now: number): Promise<StoreMetrics> {
  const pending = await store.pendingRequests(db);
  const scrub = await findScrub(db);
  const dead = await store.deliveriesIn(db, "dead");
  const count = { active: 0, paused: 0, failing: 0 };
  for (const { state, state_reason, n } of await store.channelsByState(db)) {
    if (state === "active") count.active += n;
    else if (["failing", "gone"].includes(state_reason)) count.failing += n;
    else count.paused += n;
  }
  return {
    pending: lineOf(pending),
    queues: {
      fan_out: lineOf(await store.fanOutLine(db)),
      deliveries: lineById(await store.deliveriesIn(db, "waiting")),
      search: lineById(await store.searchLine(db)),
      leaks: lineOf(await store.leakLine(db)),
    },
    deadLetters: dead.length,
    channels: count,
    keysAtGateways: {
      waiting: await store.keysAtGateways(db, "waiting"),
      stuck: await store.keysAtGateways(db, "stuck"),
      diverged: await store.keysAtGateways(db, "diverged"),
    },
    failingGateways: await store.failingGateways(db),
    canaries: await store.canaries(db, {
      since: toTimestamp(now - CANARY_MS),
      longest: LONGEST_MS,
      slow: SLOW_MS,
    }),
    certificates: await certificateBands(db, now),
    damages: await store.damagesByObject(db),
    temporaryAccesses: await countOpenTemporaryAccess(db),
    scrubRoundAt: instantOf(scrub?.round_at || null),
  };
}

async function certificateBands(db: Connection, now: number): Promise<Record<Band, number>> {
  const ends = [now, ...[7, 30, 90].map((days) => endOfDays(days, now))].map(secondAt);
  const { before: [ended = 0, week = 0, month = 0, quarter = 0], ending, invalid, total } =
    await store
      .certificateEnds(db, ends);
  return {
    expired: ended,
    within_7_days: week - ended,
    within_30_days: month - week,
    within_90_days: quarter - month,
    later: ending - quarter,
    never: total - ending - invalid,
    invalid,
  };
}

function lineOf({ length, oldest }: store.Line) {
  return { length, oldestAt: instantOf(oldest) };
}

function lineById({ length, oldest }: store.Line) {
  return { length, oldestAt: instantOfId(oldest) };
}

function instantOf(text: string | null): number | null {
  const at = text === null ? NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

/** Ids begin with the second in which they were made: see kernel/ids.ts. */
function instantOfId(id: string | null): number | null {
  return id === null ? null : Number.parseInt(id.slice(0, 8), 16) * 1000;
}
