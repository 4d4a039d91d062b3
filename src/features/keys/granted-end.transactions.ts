/**
 * When a key ends by its plans. A plan's `key_expires_in` is the life of each key, which a rotation
 * begins anew, or how long the developer's access lasts (`expiry_applies_to`), which no rotation
 * makes longer. An end that a person chose is that of every access of the key.
 */
import { toTimestamp } from "../../kernel/clock.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { expiryOf, type PlanRules } from "../plans/plan.ts";
import { findPlanRules } from "../plans/plans.store.ts";
import { everyIdOf } from "../plans/plan-ids.store.ts";
import { type QuotaCount, quotaCountOf } from "./issue-key.transactions.ts";
import { isPageKey } from "./page-key.ts";
import { findAccess, newestKeysOf, putAccess } from "./plan-accesses.store.ts";

/** A plan of a key, as its end goes by it; `rules` undefined: no one knows it. */
interface EndingPlan {
  rules: PlanRules | undefined;
}

/** The granted terms, and the developer. */
interface Grant {
  org_id: string;
  developer_id: string;
  plans: readonly EndingPlan[];
  now: number;
}

/** The plans of a key, whether or not they are gone. */
export async function endingPlans(
  db: Connection,
  org_id: string,
  plans: readonly string[],
): Promise<EndingPlan[]> {
  return await Promise.all(
    plans.map(async (id) => ({ rules: await findPlanRules(db, org_id, id) })),
  );
}

/**
 * When a key ends that is granted now; null: never. `chosen`: the end that a person chose.
 * `isDecided`: a person decides; then each access begins now. Else an access that was granted
 * before goes on, and one that is over stays so: see isAccessOver. A newly granted access is
 * stored.
 */
export async function grantEnd(
  tx: Tx,
  grant: Grant,
  { chosen, isDecided }: { chosen?: string | undefined; isDecided: boolean },
): Promise<string | null> {
  const { org_id, developer_id, plans, now } = grant;
  const ends = [expiryOf(livesOfKeys(plans), now)];
  for (const { plan_id, life } of accessesIn(plans)) {
    const place = { org_id, developer_id, plan_id };
    const before = isDecided ? undefined : await accessOrKeyEnd(tx, place);
    const ends_at = before ? before.ends_at : chosen ?? expiryOf([life], now);
    if (!before) await putAccess(tx, { ...place, granted_at: toTimestamp(now), ends_at });
    ends.push(ends_at);
  }
  return chosen ?? soonest(ends);
}

/** Whether an access is over that these plans would be: then only a person grants it again. */
export async function isAccessOver(db: Connection, grant: Grant): Promise<boolean> {
  const { org_id, developer_id, plans, now } = grant;
  for (const { plan_id } of accessesIn(plans)) {
    const found = await accessOrKeyEnd(db, { org_id, developer_id, plan_id });
    if (found?.ends_at && found.ends_at <= toTimestamp(now)) return true;
  }
  return false;
}

/**
 * Until when a developer has access to a plan: as was decided or, if the access is older than the
 * plan's rule, the end of the newest key that it gave. Undefined: neither is known.
 */
async function accessOrKeyEnd(
  db: Connection,
  place: { org_id: string; developer_id: string; plan_id: string },
): Promise<{ ends_at: string | null } | undefined> {
  const found = await findAccess(db, place);
  if (found) return found;
  const { org_id, developer_id, plan_id } = place;
  const keys = (await newestKeysOf(db, { org_id, developer_id })).filter((key) => !isPageKey(key));
  if (keys.length === 0) return undefined;
  const named = new Set(await everyIdOf(db, org_id, [plan_id]));
  // as: a key's plans are stored as an array of ids.
  const key = keys.find(({ plans }) => (JSON.parse(plans) as string[]).some((id) => named.has(id)));
  return key && key.expires_at !== null ? { ends_at: key.expires_at } : undefined;
}

/**
 * Keeps the end of the accesses that these plans are, as a person chose it for a key; null: they
 * have none.
 */
export async function chooseEnd(tx: Tx, grant: Grant, ends_at: string | null): Promise<void> {
  const { org_id, developer_id, plans, now } = grant;
  for (const { plan_id } of accessesIn(plans)) {
    const place = { org_id, developer_id, plan_id };
    const granted_at = (await findAccess(tx, place))?.granted_at ?? toTimestamp(now);
    await putAccess(tx, { ...place, granted_at, ends_at });
  }
}

/**
 * When a key ends as its plans say by now, counted from its grant; null: never. An access is
 * counted from when it was granted, the life of a key from its issue. Accesses end with it.
 */
export async function endByPlansNow(
  tx: Tx,
  grant: Grant,
  issued_at: string,
): Promise<string | null> {
  const { org_id, developer_id, plans } = grant;
  const ends = [expiryOf(livesOfKeys(plans), Date.parse(issued_at))];
  for (const { plan_id, life } of accessesIn(plans)) {
    const place = { org_id, developer_id, plan_id };
    const granted_at = (await findAccess(tx, place))?.granted_at ?? issued_at;
    const ends_at = expiryOf([life], Date.parse(granted_at));
    await putAccess(tx, { ...place, granted_at, ends_at });
    ends.push(ends_at);
  }
  return soonest(ends);
}

/** A key as its end goes by it. */
export interface EndingKey {
  expires_at: string | null;
  /** When people said when it ends; null: its plans say. */
  end_chosen_at: string | null;
}

/**
 * When a key ends that takes the place of this one without a decision; null: never. Its end stays
 * where a person chose it, or no plan sets one. Else the life of each key begins anew, and an
 * access ends when it was granted to end.
 */
export async function endInstead(
  db: Connection,
  { org_id, developer_id, plans, now }: Grant,
  { expires_at, end_chosen_at }: EndingKey,
): Promise<string | null> {
  if (end_chosen_at !== null) return expires_at;
  const renewed = expiryOf(livesOfKeys(plans), now);
  const accesses = accessesIn(plans);
  if (accesses.length === 0) return renewed ?? expires_at;
  if (renewed === null) return expires_at;
  const ends = [renewed];
  for (const { plan_id } of accesses) {
    const found = await findAccess(db, { org_id, developer_id, plan_id });
    const ends_at = found ? found.ends_at : expires_at;
    if (ends_at !== null) ends.push(ends_at);
  }
  return soonest(ends);
}

/** A key as its end follows its plans, where they change. */
interface FollowingKey extends EndingKey {
  plans: readonly string[];
  replaced_by: string | null;
}

/**
 * Whether the end of a key follows these plans, given instead of its own: not where a person chose
 * it, where it is over, where another key has taken its place, and where no plan changes.
 */
export function isFollowing(key: FollowingKey, plans: readonly string[], now: number): boolean {
  const { end_chosen_at, replaced_by, expires_at } = key;
  if (end_chosen_at !== null || replaced_by !== null) return false;
  if (expires_at !== null && expires_at <= toTimestamp(now)) return false;
  return plans.length !== key.plans.length || plans.some((plan) => !key.plans.includes(plan));
}

/** When a key ends that a person gives the plans of `grant`, which `wanted` names. */
export function endWithPlans(
  { plans, now }: Grant,
  key: FollowingKey,
  wanted: readonly string[],
): string | null {
  if (!isFollowing(key, wanted, now)) return key.expires_at;
  return expiryOf(plans.map(({ rules }) => rules?.key_expires_in ?? 0), now);
}

/**
 * The count of quotas that a key goes on with which no one decided about: that of the developer's
 * newest key of one of these plans that opens nothing any more. Undefined: it begins one. So a key
 * that is given up brings no quota anew.
 */
export async function formerCount(tx: Tx, grant: Grant): Promise<QuotaCount | undefined> {
  const { org_id, developer_id, plans, now } = grant;
  const at = toTimestamp(now);
  const keys = await newestKeysOf(tx, { org_id, developer_id });
  const isLive = (key: typeof keys[number]) =>
    key.state !== "revoked" && (key.expires_at === null || key.expires_at > at);
  const counted = new Set(keys.filter(isLive).map((key) => quotaCountOf(key).quota_key));
  const ids = plans.flatMap(({ rules }) => rules?.id ?? []);
  const named = new Set(await everyIdOf(tx, org_id, ids));
  const found = keys.find((key) =>
    // as: a key's plans are stored as an array of ids.
    !counted.has(quotaCountOf(key).quota_key) &&
    (JSON.parse(key.plans) as string[]).some((plan) => named.has(plan))
  );
  return found && quotaCountOf(found);
}

function livesOfKeys(plans: readonly EndingPlan[]): number[] {
  return plans.flatMap(({ rules }) =>
    rules && rules.expiryAppliesTo === "key" ? rules.key_expires_in : []
  );
}

/** The plans that grant an access of so many seconds. */
function accessesIn(plans: readonly EndingPlan[]): { plan_id: string; life: number }[] {
  const found = new Map<string, number>();
  for (const { rules } of plans) {
    if (rules?.expiryAppliesTo !== "access" || rules.key_expires_in <= 0) continue;
    found.set(rules.id, rules.key_expires_in);
  }
  return [...found].map(([plan_id, life]) => ({ plan_id, life }));
}

function soonest(ends: readonly (string | null)[]): string | null {
  return ends.filter((end) => end !== null).toSorted()[0] ?? null;
}
