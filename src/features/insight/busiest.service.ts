import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Plan } from "../plans/plan.ts";
import { readPlan, shownPlansOf } from "../plans/plans.store.ts";
import { sumUsage, type UsageSlot } from "../usage/usage.store.ts";
import { addTally, DAY_HOURS, dayOf, HOUR_MS, type Tally } from "../usage/usage.ts";
import { busiestOf, daysOfPlans, namedKeys, silentKeys } from "./busiest.store.ts";
import type { getBusiest } from "./insight.contract.ts";
import { namedIn } from "./named-keys.ts";

type Busiest = z.output<typeof getBusiest.response>;

/** Whole days that are told of. */
const DAYS = 30;
/** Plans, keys and silent keys that are told of. */
const [PLANS, KEYS, SILENT] = [6, 4, 3];
/** For so long a silent key was neither issued nor used. */
const SILENT_MS = 90 * DAY_HOURS * HOUR_MS;

/** What is used most, and what nobody uses. */
export async function busiest(ctx: RequestContext): Promise<Busiest> {
  const { storage: { reader }, clock, principal: { org_id } } = ctx;
  const now = clock.now();
  const until = dayOf(Math.floor(now / HOUR_MS));
  const from = until - DAYS * DAY_HOURS;
  const span = { org_id, from, until };
  const before = { org_id, from: from - DAYS * DAY_HOURS, until: from };
  const silent = await silentKeys(reader, org_id, toTimestamp(now - SILENT_MS), SILENT);
  const all = tallyOf(await totals(ctx, span));
  return {
    from: toTimestamp(from * HOUR_MS).slice(0, 10),
    to: toTimestamp((until - DAY_HOURS) * HOUR_MS).slice(0, 10),
    all: { ...all, before: tallyOf(await totals(ctx, before)).success },
    today: tallyOf(await totals(ctx, { org_id, from: until, until: until + DAY_HOURS })),
    plans: await plansOf(ctx, span),
    keys: await keysOf(ctx, span),
    silent: {
      count: silent[0]?.count ?? 0,
      keys: (await namedIn(reader, org_id, silent)).map(({ count: _, ...key }) => key),
    },
  };
}

type Span = { org_id: string; from: number; until: number };

function totals({ storage: { reader } }: RequestContext, span: Span): Promise<UsageSlot[]> {
  const asked = { table: "usage_days", kind: "organisation", plan_id: "", api_id: "" } as const;
  return sumUsage(reader, { ...asked, ...span }, [""]);
}

function tallyOf(slots: readonly UsageSlot[]) {
  const all: Tally = { success: 0, error_401: 0, error_403: 0, error_429: 0 };
  for (const slot of slots) addTally(all, slot);
  return {
    success: all.success,
    limited: all.error_429,
    refused: all.error_401 + all.error_403,
  };
}

async function plansOf(
  { storage: { reader } }: RequestContext,
  span: Span,
): Promise<Busiest["plans"]> {
  const rows = await busiestOf(reader, span, "plan", PLANS);
  const ids = rows.map(({ object_id }) => object_id);
  const shown = await shownPlansOf(reader, span.org_id, ids);
  const both = { ...span, from: span.from - DAYS * DAY_HOURS };
  const byPlan = Map.groupBy(await daysOfPlans(reader, both, ids), ({ object_id }) => object_id);
  return rows.map(({ object_id: id, ...calls }) => {
    const of = byPlan.get(id) ?? [];
    const days = Array.from({ length: DAYS }, () => 0);
    for (const { begins, success } of of) {
      if (begins >= span.from) days[(begins - span.from) / DAY_HOURS] = success;
    }
    const before = of.filter(({ begins }) => begins < span.from)
      .reduce((sum, { success }) => sum + success, 0);
    return { id, name: shown.get(id)?.name ?? id, ...calls, before, days };
  });
}

async function keysOf(
  { storage: { reader } }: RequestContext,
  span: Span,
): Promise<Busiest["keys"]> {
  const rows = await busiestOf(reader, span, "key", KEYS);
  const found = await namedKeys(reader, span.org_id, rows.map(({ object_id }) => object_id));
  const keys = await namedIn(
    reader,
    span.org_id,
    rows.flatMap(({ object_id, ...calls }) => {
      const key = found.get(object_id);
      return key ? [{ ...key, ...calls }] : [];
    }),
  );
  const shown = await shownPlansOf(reader, span.org_id, keys.flatMap(({ plans }) => plans));
  return keys.map(({ plans, ...key }) => {
    const plan = plans.length === 1 ? shown.get(plans[0] ?? "") : undefined;
    const most = plan && quotaOf(readPlan(plan));
    return { ...key, of_quota: most ? key.success / most : null };
  });
}

/** Calls that a plan's quota lets in within the days; undefined: any number, or never renewed. */
function quotaOf({ quota_max, quota_renewal_rate }: Plan): number | undefined {
  if (quota_max <= 0 || quota_renewal_rate <= 0) return undefined;
  const seconds = DAYS * DAY_HOURS * HOUR_MS / 1000;
  // Of a quota for longer than the days a part: what would be too much if it went on like this.
  return quota_max * seconds / quota_renewal_rate;
}
