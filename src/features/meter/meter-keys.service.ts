import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { Page } from "../../contract/paging.ts";
import type { Refusal } from "../../contract/refusals.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { source, walk } from "../../kernel/walk.ts";
import { calledDeveloper } from "../developers/developer-names.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";
import { findKeys } from "../keys/key-list.store.ts";
import { planIdsOf } from "../plans/plan-ids.store.ts";
import { findPlan } from "../plans/plans.store.ts";
import { DAY_HOURS, dayOf, HOUR_MS } from "../usage/usage.ts";
import type { listMeterDifferences, listMeterKeys, meterKey } from "./meter.contract.ts";
import { keysBehind, keysThereBehind } from "./meter.store.ts";
import { type DifferenceRow, differencesBehind } from "./observed.store.ts";

type MeterKey = z.output<typeof meterKey>;
type KeyQuery = z.output<typeof listMeterKeys.query & z.ZodType>;
type DifferenceQuery = z.output<typeof listMeterDifferences.query & z.ZodType>;
type DifferentCall = z.output<typeof listMeterDifferences.response>["data"][number];

/** A key that a page looks at; undefined: it is none of those. */
interface WalkedKey {
  key_id: string;
  of: MeterKey | undefined;
}

/** Keys as the meter tells them; one that is gone is left out. */
export async function shownKeys(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  rows: readonly { key_id: string; calls: number }[],
): Promise<MeterKey[]> {
  const keys = await findKeys(reader, org_id, rows.map(({ key_id }) => key_id));
  const owners = [...new Set([...keys.values()].map(({ developer_id }) => developer_id))];
  const names = await namesOfDevelopers(reader, org_id, owners);
  return rows.flatMap(({ key_id, calls }) => {
    const key = keys.get(key_id);
    if (!key) return [];
    const { mask, name, developer_id } = key;
    return [{
      key_id,
      mask,
      name: name ?? "",
      developer_id,
      developer_name: calledDeveloper(names.get(developer_id)),
      // as: a key's plans are stored as an array of ids.
      plans: JSON.parse(key.plans) as string[],
      calls,
    }];
  });
}

/**
 * A page of keys that called there yesterday, or were never seen. Throws `invalid_input` for a
 * cursor of another list.
 */
export async function listKeys(ctx: RequestContext, query: KeyQuery): Promise<Page<MeterKey>> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const now = clock.now();
  const begins = dayOf(Math.floor(now / HOUR_MS)) - DAY_HOURS;
  const named = query.plan && await findPlan(reader, { org_id, id: query.plan });
  const plans = named ? [named.id, named.given_id] : [query.plan];
  const read = async (key_id: string, limit: number) => {
    const rows = query.seen === "there"
      ? await keysThereBehind(reader, { org_id, begins, key_id }, limit)
      : await neverBehind(ctx, key_id, limit, now);
    const calls = rows.map((row) => ({ ...row, calls: Number(row.calls) }));
    const shown = new Map(
      (await shownKeys(ctx, calls.filter((one) => one.calls >= 0))).map((one) => [one.key_id, one]),
    );
    return calls.map(({ key_id }) => ({
      key_id,
      of: shown.get(key_id),
    }));
  };
  const { rows, next_cursor } = await walk<WalkedKey>({
    order: `meter-${query.seen}`,
    first: { sort: "", id: "" },
    ascending: true,
    sources: [
      source(({ id }, limit) => read(id, limit), ({ key_id }) => ({ sort: "", id: key_id })),
    ],
    wanted: ({ of }) =>
      of !== undefined &&
      (query.plan === undefined || of.plans.some((one) => plans.includes(one))) &&
      (query.developer === undefined || of.developer_id === query.developer),
  }, query);
  return { data: rows.flatMap(({ of }) => of ?? []), next_cursor };
}

/** Keys behind one; calls −1: it was seen. */
async function neverBehind(ctx: RequestContext, key_id: string, limit: number, now: number) {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const rows = await keysBehind(reader, { org_id, key_id, now: toTimestamp(now) }, limit);
  return rows.map(({ key_id, never }) => ({ key_id, calls: Number(never) === 1 ? 0 : -1 }));
}

/** A page of calls that were let in there alone. Throws `invalid_input` as listKeys does. */
export async function listDifferences(
  ctx: RequestContext,
  { key, plan, developer, ...page }: DifferenceQuery,
): Promise<Page<DifferentCall>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const plan_id = plan && ((await planIdsOf(reader, org_id, [plan])).get(plan)?._id ?? plan);
  const by = key !== undefined
    ? { name: "key_id" as const, value: key }
    : plan_id !== undefined
    ? { name: "plan_id" as const, value: plan_id }
    : null;
  const { rows, next_cursor } = await walk<Omit<DifferenceRow, "org_id">>({
    order: "meter-differences",
    first: { sort: "", id: "~" },
    sources: [source(
      ({ id }, limit) => differencesBehind(reader, org_id, by, id, limit),
      ({ id }) => ({ sort: "", id }),
    )],
    wanted: (row) =>
      (plan_id === undefined || row.plan_id === plan_id) &&
      (developer === undefined || row.developer_id === developer),
  }, page);
  const ids = [...new Set(rows.map(({ key_id }) => key_id).filter((one) => one !== ""))];
  const owners = [...new Set(rows.map((row) => row.developer_id).filter((one) => one !== ""))];
  const keys = await findKeys(reader, org_id, ids);
  const names = await namesOfDevelopers(reader, org_id, owners);
  const data = rows.map((row) => ({
    id: row.id,
    at: row.at,
    key_id: row.key_id || null,
    key_mask: keys.get(row.key_id)?.mask ?? null,
    developer_id: row.developer_id || null,
    developer_name: calledDeveloper(names.get(row.developer_id)),
    plan_id: row.plan_id || null,
    api_id: row.api_id || null,
    door: row.door,
    there: "opened" as const,
    // as: observed calls have such reasons alone.
    here: row.reason as Refusal,
  }));
  return { data, next_cursor };
}
