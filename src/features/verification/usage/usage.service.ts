import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { countedReasons } from "../../../contract/denied-calls.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { seenAmong } from "../../keys/within-scope.service.ts";
import { coverageOfCaller } from "../../plans/coverage.ts";
import { findPlan } from "../../plans/plans.store.ts";
import {
  type AskedSpan,
  comparedSpans,
  hourOfDate,
  type Span,
  spanOf,
  spanUntilNow,
  type UsageLife,
  wrong,
} from "./usage-span.ts";
import { summedSlots } from "./summed-slots.ts";
import { sumUsageOfKeys, type UsageSlot } from "./usage.store.ts";
import {
  addTally,
  DAY_HOURS,
  dayOf,
  HOUR_MS,
  type Tally,
  totals,
  type UsageKind,
} from "./usage.ts";
import type { getUsageOfKeysResponse } from "./usage-of-keys.contract.ts";
import type { getUsageResponse, usageQuery } from "./v1.contract.ts";

type Usage = z.output<typeof getUsageResponse>;
type Query = z.output<typeof usageQuery>;

/** The first day that four digits can name, but for the year 0; as hours since 1970. */
const YEAR_ONE = hourOfDate("0001-01-01");
/** Days that are told where no one says a first one. */
const DAYS = 30;

/**
 * How often keys were used. An unknown thing, and one of another organisation, has no use. Throws
 * `invalid_input` for a span that is none, or is longer than counts are kept.
 */
export async function usage(ctx: RequestContext, query: Query): Promise<Usage> {
  const { usageLife } = ctx.settings;
  const hour = Math.floor(ctx.clock.now() / HOUR_MS);
  const span = askedSpan(query, hour, usageLife);
  const { by, from, until } = span;
  const compared = comparedSpans(span, hour, usageLife);
  const { ids, ...narrowed } = await within(ctx, query, await askedFor(ctx, query));
  const table = by === "hour" ? "usage_hours" : "usage_days";
  const { org_id } = ctx.principal;
  const read = { from: compared?.before.from ?? from, until };
  const asked = { table, org_id, ...narrowed, ...read } as const;
  const all = await summedSlots(ctx.storage.reader, asked, ids);
  const slots = all.filter(({ begins }) => begins >= from);
  const data = slots.map((slot) => ({
    at: toTimestamp(slot.begins * HOUR_MS),
    ...serialize(slot),
    last_hit: slot.last_hit,
  }));
  return {
    by,
    from: dateOf(from),
    to: dateOf(until - 1),
    since: toTimestamp(from * HOUR_MS),
    until: toTimestamp(until * HOUR_MS),
    data,
    total: totalOf(slots),
    compared: compared
      ? { now: summed(all, compared.now), before: summed(all, compared.before) }
      : null,
  };
}

/** Which hours or days. Throws `invalid_input` where they are none, or too many. */
function askedSpan(
  { by, from: first, to: end, last }: Query,
  hour: number,
  life: UsageLife,
): AskedSpan {
  if (last !== undefined) return spanUntilNow(last, by, hour, life);
  const to = end === undefined ? dayOf(hour) : hourOfDate(end);
  const from = first === undefined ? to - (DAYS - 1) * DAY_HOURS : hourOfDate(first);
  if (from < YEAR_ONE) throw wrong("the first day is before the year 1");
  return { by, ...spanOf(from, to, by, life) };
}

/** The calls of one of two spans that are compared. */
function summed(slots: readonly UsageSlot[], { from, until }: Span) {
  const tally = noCalls();
  for (const slot of slots) if (slot.begins >= from && slot.begins < until) addTally(tally, slot);
  return {
    since: toTimestamp(from * HOUR_MS),
    until: toTimestamp(until * HOUR_MS),
    ...totals(tally),
  };
}

/** Of which things counts are read. */
type Counted = Omit<Asked, "id"> & { ids: readonly string[] };

/**
 * The part that the caller sees. Within a scope all calls are those of its plans, whatever else
 * their keys have. Throws `access_denied` if a caller with a scope requests calls of neither keys
 * nor plans: no part of them is theirs alone.
 */
async function within(
  ctx: RequestContext,
  { key, plan, developer, api, gateway }: Query,
  { id, ...asked }: Asked,
): Promise<Counted> {
  const { storage: { reader }, principal } = ctx;
  const coverage = await coverageOfCaller(reader, principal);
  if (!coverage) return { ...asked, ids: [id] };
  if (key === undefined && plan === undefined) {
    if ([developer, api, gateway].every((one) => one === undefined)) {
      return { kind: "plan", ids: [...coverage.plans], plan_id: "", api_id: "" };
    }
    throw new Failure("access_denied", {
      message: "access denied: within your scope use is told of a key, a plan, or all its plans.",
    });
  }
  const isSeen = (plan === undefined || coverage.plans.has(plan)) &&
    (key === undefined || (await seenAmong(ctx, [key])).length > 0);
  return { ...asked, ids: isSeen ? [id] : [] };
}

/** The days that a list of keys tells of. */
const WEEK = 7;

/**
 * How often each of these keys was let in and refused in the last seven days. Keys that the caller
 * does not see have no use.
 */
export async function usageOfKeys(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<z.output<typeof getUsageOfKeysResponse>> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const today = dayOf(Math.floor(clock.now() / HOUR_MS));
  const from = today - (WEEK - 1) * DAY_HOURS;
  const until = today + DAY_HOURS;
  const seen = await seenAmong(ctx, ids);
  const counted = await sumUsageOfKeys(reader, org_id, { from, until }, seen);
  const byId = Map.groupBy(counted, ({ object_id }) => object_id);
  const data = ids.map((key_id) => {
    const days = Array.from({ length: WEEK }, () => 0);
    let [success, error] = [0, 0];
    for (const one of byId.get(key_id) ?? []) {
      success += one.success;
      error += one.error;
      days[(one.begins - from) / DAY_HOURS] = one.success + one.error;
    }
    return { key_id, success, error, days };
  });
  return { from: dateOf(from), to: dateOf(today), data };
}

/** The subject of the calls. */
interface Asked {
  kind: UsageKind;
  id: string;
  plan_id: string;
  api_id: string;
}

/** The subject of the calls; a plan is counted by its `_id`, whichever of its ids is sent. */
async function askedFor(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  { key, plan, developer, api, gateway }: Query,
): Promise<Asked> {
  const plan_id = plan && ((await findPlan(reader, { org_id, id: plan }))?.id ?? plan);
  if (key !== undefined) {
    return { kind: "key", id: key, plan_id: plan_id ?? "", api_id: api ?? "" };
  }
  if (gateway !== undefined) {
    return { kind: "door", id: gateway === "all" ? "" : gateway, plan_id: "", api_id: api ?? "" };
  }
  const all = { plan_id: "", api_id: "" };
  if (plan_id !== undefined) return { kind: "plan", id: plan_id, ...all };
  if (developer !== undefined) return { kind: "developer", id: developer, ...all };
  if (api !== undefined) return { kind: "api", id: api, ...all };
  return { kind: "organisation", id: "", ...all };
}

function totalOf(slots: readonly UsageSlot[]): Usage["total"] {
  const all = noCalls();
  for (const slot of slots) addTally(all, slot);
  const last_hit = slots.map((slot) => slot.last_hit).sort().at(-1) ?? null;
  return { ...serialize(all), last_hit };
}

function noCalls(): Tally {
  return { success: 0, error_401: 0, error_403: 0, error_429: 0 };
}

function serialize(tally: Tally) {
  const { error_401, error_403, error_429, reasons = {} } = tally;
  return {
    ...totals(tally),
    refused: { 401: error_401, 403: error_403, 429: error_429 },
    reasons: countedReasons.map((reason) => ({ reason, calls: reasons[reason] ?? 0 }))
      .filter(({ calls }) => calls > 0).sort((a, b) => b.calls - a.calls),
  };
}

function dateOf(hour: number): string {
  return toTimestamp(hour * HOUR_MS).slice(0, 10);
}
