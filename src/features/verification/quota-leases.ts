import type { Clock } from "../../kernel/clock.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import type { Storage } from "../../storage/storage.ts";
import { type CallRule, NEVER_RENEWED_MS } from "./plan-grants.ts";
import type { QuotaPeriod } from "./quotas.store.ts";
import { leaseQuota, returnQuota } from "./quotas.transactions.ts";
import type { Remaining } from "./rate.ts";

/** The state of one key's quota under one plan on this node. Times in milliseconds since 1970. */
export interface QuotaState {
  /** The beginning of the period that the rest is about; -1: none yet. */
  period: number;
  /** Uses that this node was given and has not handed out. */
  left: number;
  /** Uses given out in all, to whichever nodes, as of this node's last look. */
  used: number;
  /**
   * There was nothing left to give; not asked again before this moment, unless the quota is another
   * one now.
   */
  refusedUntil: number;
  refusedMax: number;
  leasing: Promise<void> | null;
}

/** The owner of a quota. */
interface QuotaOwner {
  readonly org_id: string;
  readonly key_id: string;
  /** The key id that it is counted under: keys that replace each other share one count. */
  readonly quotaKey: string;
  /** When the key was issued, or its quota was last reset: its periods are counted from there. */
  readonly issuedAt: number;
}

/** A node is given a hundredth of the quota at a time, at most this much. */
const MOST_LEASED = 100;
/** Other nodes may give back what they did not need, so a refusal is no last word. */
const REFUSED_MS = 10_000;
/** Leases that are given back in one transaction. */
const RETURNED_TOGETHER = 500;

/**
 * Hands out quotas that the store gave this node in batches: no write for each call, and never more
 * than there is.
 */
export class QuotaLeases {
  readonly #storage: Storage;
  readonly #clock: Clock;

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /**
   * Takes one use. False: the period has none left. Throws `unavailable` when the store is needed
   * and away, or slower than `deadline`: then none is taken, however late a lease comes.
   */
  take(
    owner: QuotaOwner,
    plan_id: string,
    state: QuotaState,
    rule: CallRule,
    now: number,
    deadline?: Deadline,
  ): boolean | Promise<boolean> {
    enterPeriod(state, quotaPeriodOf(owner, rule, now));
    if (state.used > rule.quotaMax) this.#shrink(owner, plan_id, state, rule);
    if (state.left > 0) {
      state.left--;
      return true;
    }
    return this.#isRefused(state, rule, now) ? false : this.#takeAfterLease(
      owner,
      plan_id,
      state,
      rule,
      deadline,
    );
  }

  /**
   * Gives back what these keys have left, as far as the store takes it. The part that it does not
   * take is lost.
   */
  async giveBack(unspent: readonly { place: QuotaPeriod; left: number }[]): Promise<void> {
    const sorted = unspent.toSorted((a, b) => sortKey(a.place) < sortKey(b.place) ? -1 : 1);
    for (let from = 0; from < sorted.length; from += RETURNED_TOGETHER) {
      const part = sorted.slice(from, from + RETURNED_TOGETHER);
      try {
        await this.#storage.commit(returnQuota, { unspent: part });
      } catch {
        return;
      }
    }
  }

  async #takeAfterLease(
    owner: QuotaOwner,
    plan_id: string,
    state: QuotaState,
    rule: CallRule,
    deadline: Deadline | undefined,
  ): Promise<boolean> {
    while (true) {
      const now = this.#clock.now();
      enterPeriod(state, quotaPeriodOf(owner, rule, now));
      if (state.left > 0) {
        state.left--;
        return true;
      }
      if (this.#isRefused(state, rule, now)) return false;
      state.leasing ??= this.#lease(owner, plan_id, state, rule).finally(() =>
        state.leasing = null
      );
      await (deadline ? deadline.waitFor(state.leasing) : state.leasing);
    }
  }

  /** The quota became smaller than what was given out: what this node has beyond it goes back. */
  #shrink(owner: QuotaOwner, plan_id: string, state: QuotaState, rule: CallRule): void {
    const { org_id, quotaKey: key_id } = owner;
    const left = Math.min(state.left, state.used - rule.quotaMax);
    if (left === 0) return;
    state.left -= left;
    state.used -= left;
    void this.giveBack([{ place: { org_id, key_id, plan_id, period: state.period }, left }]);
  }

  #isRefused(state: QuotaState, rule: CallRule, now: number): boolean {
    return now < state.refusedUntil && state.refusedMax === rule.quotaMax;
  }

  async #lease(
    { org_id, key_id, quotaKey }: QuotaOwner,
    plan_id: string,
    state: QuotaState,
    rule: CallRule,
  ): Promise<void> {
    const { period } = state;
    const { granted, used } = await this.#storage.commit(leaseQuota, {
      place: { org_id, key_id: quotaKey, plan_id, period },
      key_id,
      before: period - rule.quotaPeriodMs,
      wanted: Math.max(1, Math.min(MOST_LEASED, Math.floor(rule.quotaMax / 100))),
      most: rule.quotaMax,
      now: this.#clock.now(),
    });
    // A period that ended meanwhile takes its lease with it.
    if (state.period !== period) return;
    state.left += granted;
    state.used = used;
    if (granted > 0) return;
    state.refusedMax = rule.quotaMax;
    state.refusedUntil = Math.min(this.#clock.now() + REFUSED_MS, period + rule.quotaPeriodMs);
  }
}

/** The rest of the quota, as this node knows: leases of other nodes count as spent. */
export function quotaRemaining(state: QuotaState, rule: CallRule, now: number): Remaining {
  return {
    limit: rule.quotaMax,
    remaining: Math.max(0, rule.quotaMax - state.used) + state.left,
    reset: rule.quotaPeriodMs === NEVER_RENEWED_MS
      ? null
      : Math.max(0, Math.ceil((state.period + rule.quotaPeriodMs - now) / 1000)),
  };
}

/**
 * When the period of a key's quota began. It is equal on every node: whole periods since the key
 * was issued; a clock that is behind is in the first.
 */
export function quotaPeriodOf(
  { issuedAt }: Pick<QuotaOwner, "issuedAt">,
  { quotaPeriodMs }: Pick<CallRule, "quotaPeriodMs">,
  now: number,
): number {
  return issuedAt + Math.max(0, Math.floor((now - issuedAt) / quotaPeriodMs)) * quotaPeriodMs;
}

function enterPeriod(state: QuotaState, period: number): void {
  if (state.period === period) return;
  state.period = period;
  state.left = 0;
  state.used = 0;
  state.refusedUntil = 0;
}

function sortKey({ org_id, key_id, plan_id }: QuotaPeriod): string {
  return `${org_id} ${key_id} ${plan_id}`;
}
