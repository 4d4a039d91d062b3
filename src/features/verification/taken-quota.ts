import type { Tx } from "../../storage/storage.ts";
import { type LockedKeyRow, lockKey, setQuotaFrom } from "../keys/key-life.store.ts";
import type { PlanRules } from "../plans/plan.ts";
import { NEVER_RENEWED_MS } from "./plan-grants.ts";
import { quotaPeriodOf } from "./quota-leases.ts";
import { lockUsed, setUsed } from "./quotas.store.ts";

/** The part of a quota that was used elsewhere, and when its period began. */
export interface TakenQuota {
  readonly from: string;
  readonly used: number;
}

/**
 * Has the quotas of a key that came from elsewhere go on in the period in which they are there,
 * with what is used of it.
 */
export async function takeQuota(
  tx: Tx,
  { org_id, key_id }: { org_id: string; key_id: string },
  plan_ids: Iterable<string>,
  { from, used }: TakenQuota,
): Promise<void> {
  const locked = await lockKey(tx, org_id, key_id);
  if (locked) await setQuotaFrom(tx, locked, from);
  const period = Date.parse(from);
  for (const plan_id of plan_ids) {
    const place = { org_id, key_id, plan_id, period };
    await lockUsed(tx, place);
    await setUsed(tx, { ...place, used });
  }
}

/**
 * Counts what was used elsewhere in the period of a key's quotas, which is counted here as well:
 * the higher count is kept, and a period that began later there begins so here. A key whose quotas
 * are counted with others' is left alone. Gives whether something was changed.
 */
export async function followQuota(
  tx: Tx,
  { credential: key, plans, quota, now }: {
    credential: LockedKeyRow;
    plans: readonly (PlanRules | undefined)[];
    quota: TakenQuota;
    now: number;
  },
): Promise<boolean> {
  const { org_id, key_id, quota_key, stored: { quota_from, issued_at } } = key;
  const limited = plans.flatMap((plan) => plan && plan.quota_max > 0 ? [plan] : []);
  if (quota_key !== null || limited.length === 0) return false;
  const begun = Date.parse(quota.from);
  const issuedAt = Date.parse(quota_from ?? issued_at);
  const counts: { plan_id: string; period: number; used: number; before: number }[] = [];
  let isLater = false;
  for (const { id: plan_id, quota_renewal_rate: seconds } of limited) {
    const quotaPeriodMs = seconds > 0 ? seconds * 1000 : NEVER_RENEWED_MS;
    const period = quotaPeriodOf({ issuedAt }, { quotaPeriodMs }, now);
    isLater ||= begun - period > CLOCK_MS && begun <= now;
    const { used } = await lockUsed(tx, { org_id, key_id, plan_id, period });
    counts.push({ plan_id, period, used: Math.max(used, quota.used), before: used });
  }
  if (!isLater && counts.every(({ used, before }) => used === before)) return false;
  if (isLater) await setQuotaFrom(tx, key, quota.from);
  for (const { plan_id, period, used } of counts) {
    const place = { org_id, key_id, plan_id, period: isLater ? begun : period };
    await lockUsed(tx, place);
    await setUsed(tx, { ...place, used });
  }
  return true;
}

/** Periods that begin within so long of each other are one: clocks differ. */
const CLOCK_MS = 2000;
