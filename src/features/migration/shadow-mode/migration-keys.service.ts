import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import type { Page } from "../../../contract/paging.ts";
import type { DenialReason } from "../../../contract/denied-calls.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import type { Place } from "../../../kernel/cursor.ts";
import { source, walk } from "../../../kernel/walk.ts";
import { calledDeveloper } from "../../developers/developer-names.ts";
import { namesOfDevelopers } from "../../developers/developer-names.store.ts";
import { findKeys } from "../../keys/key-list.store.ts";
import { planIdsOf } from "../../plans/plan-ids.store.ts";
import { findPlan } from "../../plans/plans.store.ts";
import { DAY_HOURS, dayOf, HOUR_MS } from "../../verification/usage/usage.ts";
import type {
  listMigrationDifferencesQuery,
  listMigrationKeysQuery,
  migrationDifferenceList,
  migrationKey,
} from "./migration-report.contract.ts";
import { developersKeysBehind, keysBehind, keysThereBehind } from "./migration-report.store.ts";
import { type DifferenceRow, differencesBehind } from "./shadow-calls.store.ts";

type MigrationKey = z.output<typeof migrationKey>;
type KeyQuery = z.output<typeof listMigrationKeysQuery>;
type DifferenceQuery = z.output<typeof listMigrationDifferencesQuery>;
type DifferentCall = z.output<typeof migrationDifferenceList>["data"][number];

/** A key that a page looks at; undefined: it is none of those. */
interface WalkedKey {
  key_id: string;
  sort: string;
  of: MigrationKey | undefined;
}

/** Keys as the meter tells them; one that is gone is left out. */
export async function migrationKeys(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  rows: readonly { key_id: string; calls: number }[],
): Promise<MigrationKey[]> {
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

/** Keys that a page looks at, at the most: of 100,000 few may be of a plan. */
const MOST_LOOKED = 5000;

/**
 * A page of keys that called there yesterday, or were never seen. Throws `invalid_input` for a
 * cursor of another list.
 */
export async function listKeys(ctx: RequestContext, query: KeyQuery): Promise<Page<MigrationKey>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const { seen, developer } = query;
  const named = query.plan && await findPlan(reader, { org_id, id: query.plan });
  const plans = named ? [named.id, named.given_id] : [query.plan];
  const isOfOne = seen === "never" && developer !== undefined;
  const behind = isOfOne ? ofDeveloper(ctx, developer) : seen === "never" ? never(ctx) : there(ctx);
  const read = async (place: Place, limit: number): Promise<WalkedKey[]> => {
    const rows = await behind(place, limit);
    const counted = rows.flatMap(({ key_id, calls }) => calls === null ? [] : [{ key_id, calls }]);
    const view = new Map((await migrationKeys(ctx, counted)).map((one) => [one.key_id, one]));
    return rows.map(({ key_id, sort }) => ({ key_id, sort, of: view.get(key_id) }));
  };
  const { rows, next_cursor } = await walk<WalkedKey>({
    order: `meter-${seen}${isOfOne ? "-of" : ""}`,
    first: { sort: "", id: "" },
    ascending: true,
    sources: [source(read, ({ key_id, sort }) => ({ sort, id: key_id }))],
    wanted: ({ of }) =>
      of !== undefined &&
      (query.plan === undefined || of.plans.some((one) => plans.includes(one))) &&
      (developer === undefined || of.developer_id === developer),
    mostLooked: MOST_LOOKED,
  }, query);
  return { data: rows.flatMap(({ of }) => of ?? []), next_cursor };
}

/** Reads keys behind a place; `calls` null: it is none of those. */
type Behind = (
  place: Place,
  limit: number,
) => Promise<{ key_id: string; sort: string; calls: number | null }[]>;

/** Those that called there yesterday, in the order of their ids. */
function there({ storage: { reader }, principal: { org_id }, clock }: RequestContext): Behind {
  const begins = dayOf(Math.floor(clock.now() / HOUR_MS)) - DAY_HOURS;
  return async ({ id }, limit) =>
    (await keysThereBehind(reader, { org_id, begins, key_id: id }, limit))
      .map(({ key_id, calls }) => ({ key_id, sort: "", calls: Number(calls) }));
}

/** Those that were never seen, in the order of their ids. */
function never({ storage: { reader }, principal: { org_id }, clock }: RequestContext): Behind {
  const now = toTimestamp(clock.now());
  return async ({ id }, limit) =>
    (await keysBehind(reader, { org_id, key_id: id, now }, limit))
      .map(({ key_id, never }) => ({ key_id, sort: "", calls: Number(never) === 1 ? 0 : null }));
}

/** The keys of one developer, the oldest first. */
function ofDeveloper(
  { storage: { reader }, principal: { org_id }, clock }: RequestContext,
  developer_id: string,
): Behind {
  const now = toTimestamp(clock.now());
  return async ({ sort: issued_at, id: key_id }, limit) =>
    (await developersKeysBehind(reader, { org_id, developer_id, issued_at, key_id, now }, limit))
      .map(({ key_id, issued_at, never }) => ({
        key_id,
        sort: issued_at,
        calls: Number(never) === 1 ? 0 : null,
      }));
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
    gateway: row.door,
    at_gateway: "allowed" as const,
    // as: observed calls have such reasons alone.
    in_keydesk: row.reason as DenialReason,
  }));
  return { data, next_cursor };
}
