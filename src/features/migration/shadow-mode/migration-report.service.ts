import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { isMoving } from "../../people/moving.store.ts";
import { lazyMigrationsOf } from "../lazy-migration/lazy-migration.service.ts";
import { planIdsOf } from "../../plans/plan-ids.store.ts";
import { everyPlan } from "../../plans/every-plan.store.ts";
import { DAY_HOURS, dayOf, HOUR_MS } from "../../verification/usage/usage.ts";
import type {
  getMigrationResponse,
  migrationPlan,
  planSwitch,
} from "./migration-report.contract.ts";
import { type KeyCensus, keyCensus } from "./key-census.ts";
import { migrationKeys } from "./migration-keys.service.ts";
import {
  type CallsOfDay,
  COMPARED_DAYS,
  comparisonOf,
  lastCompared,
  LATELY_DAYS,
  SAFE_DAYS,
  safeFrom,
} from "./migration-sums.ts";
import * as store from "./migration-report.store.ts";
import { switchesOf } from "./plan-switch.store.ts";
import { actorOf } from "../../../calls/principal.ts";
import { type Decided, switchPlan } from "./plan-switch.transactions.ts";

type MigrationReport = z.output<typeof getMigrationResponse>;
type PlanOfReport = z.output<typeof migrationPlan>;

/** Days that are shown, and spans that are summed. */
const DAYS = 30;
const SPANS = [1, 7, 30] as const;
/**
 * How many plans are listed, how many keys of the gateway are read for their plans, and how many of
 * those are listed.
 */
const MOST_PLANS = 1000;
const MOST_KEYS_THERE = 5000;
const STILL_LISTED = 10;

/** How far the organisation's move is. */
export async function migrationReport(ctx: RequestContext): Promise<MigrationReport> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const now = clock.now();
  const today = dayOf(Math.floor(now / HOUR_MS));
  const before = (days: number) => today - days * DAY_HOURS;
  const since = await store.firstShadowHour(reader, { org_id });
  const began = since === undefined ? null : Number(since);
  const rows = numbers(await store.shadowRowsOfAll(reader, { org_id, from: before(DAYS) }));
  const known = rows.filter(({ kind }) => kind === "organisation");
  const unknown = rows.filter(({ kind }) => kind === "unknown");
  const here = await store.decidedHere(reader, { org_id, from: before(DAYS) });
  const sides = (from: number, until: number) => ({
    in_keydesk: sumOf(here.filter(({ begins }) => isWithin(begins, from, until)), "calls"),
    at_gateway: sumOf(known.filter(({ begins }) => isWithin(begins, from, until)), "asked"),
  });
  const { compared: _, ...different } = comparisonOf(ofDay(known, today));
  const census = await keyCensus(ctx);
  const plans = await plansOf(ctx, census, began, today);
  const safe = plans.filter((plan) => plan.safe);
  const lazyMigration = await lazyMigrationsOf(ctx);
  const keys = {
    ...await keysOf(ctx, census, new Set(safe.map(({ plan }) => plan)), today),
    migrated: sumOf(lazyMigration, "migrated"),
  };
  const latelyUnknown = unknown.filter(({ begins }) => begins >= before(LATELY_DAYS));
  const opened = known.filter(({ verdict }) => verdict === "valid");
  const still = await store.busiestThere(reader, { org_id, begins: before(1) }, STILL_LISTED);
  return {
    connected: await isMoving(reader, { org_id }),
    since: began === null ? null : dateOf(began),
    reports: sumOf(opened, "asked") === 0 || sumOf(known, "opened") > 0,
    now: {
      ...sides(today, today + DAY_HOURS),
      ...different,
      unknown: callsOf(ofDay(unknown, today)),
    },
    unknown: callsOf(latelyUnknown),
    // Of a day on which nothing was observed no one knows what was decided there.
    shares: SPANS.map((days) => ({
      days,
      ...sides(Math.max(before(days), began ?? today), today),
    })),
    days: Array.from({ length: DAYS }, (_, n) => {
      const begins = before(DAYS - n);
      return { date: dateOf(begins), ...sides(begins, begins + DAY_HOURS) };
    }),
    plans: plans.slice(0, MOST_PLANS),
    more_plans: Math.max(0, plans.length - MOST_PLANS),
    safe_plans: safe.length,
    keys,
    lazy_migrations: lazyMigration,
    still_at_gateway: await migrationKeys(
      ctx,
      still.map((one) => ({ ...one, calls: Number(one.calls) })),
    ),
    all_safe_on: callsOf(latelyUnknown).opened > 0 ? null : lastOf(plans, today),
  };
}

/** When all plans are safe; null: not as things go on. */
function lastOf(plans: readonly PlanOfReport[], today: number): string | null {
  let last = dateOf(today);
  for (const { safe, safe_on } of plans) {
    if (safe) continue;
    if (safe_on === null) return null;
    if (safe_on > last) last = safe_on;
  }
  return plans.length === 0 ? null : last;
}

async function plansOf(
  ctx: RequestContext,
  census: KeyCensus,
  began: number | null,
  today: number,
) {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const from = today - COMPARED_DAYS * DAY_HOURS;
  const rows = Map.groupBy(
    numbers(await store.shadowRowsOfPlans(reader, { org_id, from })),
    ({ object_id }) => object_id,
  );
  const callers = await callersOf(ctx, today - SAFE_DAYS * DAY_HOURS);
  const yesterday = today - DAY_HOURS;
  const day = yesterday / DAY_HOURS;
  const decided = await store.plansDecidedHere(reader, { org_id, day });
  const here = new Map(decided.map(({ object_id, calls }) => [object_id, Number(calls)]));
  const switches = new Map(
    (await switchesOf(reader, { org_id })).map((one) => [one.plan, one]),
  );
  const counts = countsOf(census, (plan) => switches.get(plan)?.decided === "here");
  const plansNow: PlanOfReport[] = [];
  for await (const { plan: { _id: plan, name } } of everyPlan(reader, org_id)) {
    const own = rows.get(plan) ?? [];
    const calling = callers?.get(plan);
    if (!counts.has(plan) && own.length === 0 && !switches.has(plan)) continue;
    const { compared, ...different } = comparisonOf(lastCompared(own));
    const times = [...own.map(({ last_at }) => last_at), ...calling ? [calling.last_at] : []];
    const last_at_gateway = times.sort().at(-1) ?? null;
    const last = last_at_gateway && dayOf(Math.floor(Date.parse(last_at_gateway) / HOUR_MS));
    const differs = different.allowed_at_gateway_only.length > 0;
    const free = safeFrom(began, last === "" ? null : last);
    const goesOn = last !== null && Number(last) > today - LATELY_DAYS * DAY_HOURS;
    const isSafe = free !== null && free <= today && !differs;
    const set = switches.get(plan);
    plansNow.push({
      plan,
      name,
      keys: counts.get(plan)?.keys ?? 0,
      keys_in_keydesk: counts.get(plan)?.in_keydesk ?? 0,
      keys_at_gateway: callers === null ? null : calling?.keys ?? 0,
      never_seen: counts.get(plan)?.never ?? 0,
      in_keydesk: here.get(plan) ?? 0,
      at_gateway: sumOf(ofDay(own, yesterday), "asked"),
      last_at_gateway,
      compared,
      ...different,
      decided: sides[set?.decided ?? "there"],
      decided_at: set?.changed_at ?? null,
      decided_by: set?.changed_by ?? null,
      safe: isSafe,
      safe_on: free === null || differs || goesOn ? null : dateOf(Math.max(free, today)),
    });
  }
  return plansNow.sort((a, b) =>
    b.at_gateway - a.at_gateway || b.keys - a.keys || (a.name < b.name ? -1 : 1)
  );
}

/** By plan, the keys that called there since a day and the last of their calls; null: too many. */
async function callersOf(ctx: RequestContext, from: number) {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const calling = await store.keysThere(reader, { org_id, from }, MOST_KEYS_THERE + 1);
  if (calling.length > MOST_KEYS_THERE) return null;
  const last = new Map(calling.map(({ key_id, last_at }) => [key_id, last_at]));
  const keys = JSON.stringify([...last.keys()]);
  const found = await store.plansOfKeys(reader, { org_id, keys });
  // as: a key's plans are stored as an array of ids.
  const named = found.map(({ key_id, plans }) => ({
    key_id,
    plans: JSON.parse(plans) as string[],
  }));
  const ids = await planIdsOf(reader, org_id, [...new Set(named.flatMap(({ plans }) => plans))]);
  const byPlan = new Map<string, { keys: number; last_at: string }>();
  for (const { key_id, plans } of named) {
    const last_at = last.get(key_id) ?? "";
    for (const plan of new Set(plans.map((one) => ids.get(one)?._id ?? one))) {
      const known = byPlan.get(plan);
      byPlan.set(plan, {
        keys: (known?.keys ?? 0) + 1,
        last_at: known !== undefined && known.last_at > last_at ? known.last_at : last_at,
      });
    }
  }
  return byPlan;
}

async function keysOf(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  { sets, owners, mailable }: KeyCensus,
  safe: ReadonlySet<string>,
  today: number,
): Promise<Omit<MigrationReport["keys"], "migrated">> {
  return {
    all: sumOf(sets, "keys"),
    safe: sumOf(sets.filter(({ plans }) => plans.every((one) => safe.has(one))), "keys"),
    at_gateway_yesterday: await store.countKeysThere(reader, { org_id, begins: today - DAY_HOURS }),
    never_seen: sumOf(sets, "never"),
    never_seen_developers: owners,
    mailable_developers: mailable,
  };
}

/**
 * How many keys each plan has, how many of them were never seen, and how many are decided here once
 * it is.
 */
function countsOf({ sets }: KeyCensus, isHere: (plan: string) => boolean) {
  const counts = new Map<string, { keys: number; never: number; in_keydesk: number }>();
  for (const { plans, keys, never } of sets) {
    const left = plans.filter((plan) => !isHere(plan));
    for (const plan of plans) {
      const count = counts.get(plan) ?? { keys: 0, never: 0, in_keydesk: 0 };
      const isLast = left.every((one) => one === plan);
      counts.set(plan, {
        keys: count.keys + keys,
        never: count.never + never,
        in_keydesk: count.in_keydesk + (isLast ? keys : 0),
      });
    }
  }
  return counts;
}

/** Numbers, which come back as text from one of the engines. */
function numbers<Row extends CallsOfDay>(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({
    ...row,
    begins: Number(row.begins),
    asked: Number(row.asked),
    opened: Number(row.opened),
  }));
}

function ofDay<Row extends CallsOfDay>(rows: readonly Row[], begins: number): Row[] {
  return rows.filter((row) => row.begins === begins);
}

function callsOf(rows: readonly CallsOfDay[]): { calls: number; opened: number } {
  return { calls: sumOf(rows, "asked"), opened: sumOf(rows, "opened") };
}

function sumOf<N extends string>(rows: readonly { [K in N]: number }[], name: N): number {
  return rows.reduce((sum, row) => sum + Number(row[name]), 0);
}

function isWithin(begins: number, from: number, until: number): boolean {
  return Number(begins) >= from && Number(begins) < until;
}

function dateOf(hour: number): string {
  return toTimestamp(hour * HOUR_MS).slice(0, 10);
}

/** The sides that decide calls, by their stored names. */
const sides: Readonly<Record<Decided, z.output<typeof planSwitch>["decided"]>> = {
  here: "keydesk",
  there: "gateway",
};

/** Sets which side decides about the keys of a plan. Throws `not_found`. */
export async function setDecided(
  ctx: RequestContext,
  id: string,
  side: z.output<typeof planSwitch>["decided"],
): Promise<z.output<typeof planSwitch>> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const decided = side === "keydesk" ? "here" : "there";
  const set = await ctx.storage.commit(switchPlan, { actor, plan: id, decided });
  return {
    plan: set.plan,
    decided: sides[set.decided],
    decided_at: set.changed_at,
    decided_by: set.changed_by,
  };
}
