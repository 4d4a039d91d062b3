import type { z } from "zod";
import { findPlansOfApi } from "../catalogue/catalogue.store.ts";
import type { RequestContext } from "../context.ts";
import { PAGE_LIMIT } from "../contract/native.ts";
import { isCursor, type Place, readCursor, writeCursor } from "../lib/cursor.ts";
import { Failure } from "../lib/failure.ts";
import { HeadedAnswer } from "../lib/headed-answer.ts";
import { JsonText } from "../lib/json-text.ts";
import { parseTimestamp } from "../lib/timestamps.ts";
import { listCounter } from "../storage/list-counts.ts";
import { listOf } from "./key-request.ts";
import type { listQuery } from "./native.contract.ts";
import {
  findBriefs,
  findNative,
  type NativeRow,
  type RequestState,
  type Walk,
  walkRequests,
} from "./native.store.ts";
import { revisionOf } from "./revision.ts";
import { catchUp, type PlacedRow, searchRequests, type Source } from "./search-requests.ts";
import { searchText } from "./search-text.ts";
import { showDetail, showNative } from "./show-native.ts";

/** What a list is narrowed by. */
export type ListQuery = z.output<typeof listQuery>;

/** A page as JSON text, and where the next one starts. */
export interface ListPage {
  text: JsonText;
  next_cursor: string | null;
}

/**
 * Rows that one page looks at, at the most. Filters that no index serves together leave rows out, and a page of few
 * requests is better than one that nobody awaits.
 */
const WALKED_AT_MOST = 1000;
/** Rows of one source at a time; more than the longest page. */
const ROWS_AT_ONCE = 101;
/** Plans of one API that are walked side by side. */
const MOST_PLANS = 50;

/**
 * A page of key requests. Every source walks one index, so that a page costs the same however many there are, and
 * rows that are inserted meanwhile move nothing. Throws `invalid_input` for a cursor of another list.
 */
export async function listNative(ctx: RequestContext, query: ListQuery): Promise<ListPage> {
  const newestFirst = query.sort !== "oldest";
  const searching = await searches(ctx, query, newestFirst);
  const order = orderOf(searching, newestFirst);
  const isComplete = !searching || await catchUp(ctx);
  const page = (rows: readonly NativeRow[], next_cursor: string | null) =>
    pageOf(ctx, rows, next_cursor, isComplete);
  const sources = searching
    ? [searchRequests(ctx, query, newestFirst)]
    : (await walksOf(ctx, query)).map((walk) => sourceOf(ctx, walk, newestFirst));
  const wanted = filterOf(await plansOf(ctx, query), query);
  const limit = query.limit ?? PAGE_LIMIT;
  // What a search finds is not quite in the order of its instants.
  const end = searching ? () => false : endOf(query, newestFirst);
  const first = searching ? { sort: "", id: "" } : startOf(query, newestFirst);
  let place = query.cursor === undefined ? first : readCursor(query.cursor, order);
  const rows: NativeRow[] = [];
  for (let walked = 0; walked < WALKED_AT_MOST;) {
    const atOnce = walked === 0 ? limit + 1 : ROWS_AT_ONCE;
    const parts = await Promise.all(sources.map((source) => source(place, atOnce)));
    // Each source gave all that it has up to so many rows, so that many of their merge are in order.
    const merged = sources.length === 1 ? parts[0] ?? [] : merge(parts, newestFirst);
    for (const { place: at, row } of merged.slice(0, atOnce)) {
      if (row && end(row)) return await page(rows, null);
      if (row && wanted(row)) {
        if (rows.length === limit) return await page(rows, writeCursor(order, place));
        rows.push(row);
      }
      place = at;
      walked++;
    }
    if (merged.length < atOnce) return await page(rows, null);
  }
  return await page(rows, writeCursor(order, place));
}

/** The name of an order, for its cursors. */
function orderOf(searching: boolean, newestFirst: boolean): string {
  return `${searching ? "found" : "asked"} ${newestFirst ? "newest" : "oldest"}`;
}

/**
 * Whether the index of trigrams is asked. Not for texts that are too short for it, and not where the list itself is
 * short: then `q` is one more filter of it. A page goes on as the one before began.
 */
async function searches(
  ctx: RequestContext,
  query: ListQuery,
  newestFirst: boolean,
): Promise<boolean> {
  const { q, cursor, developer, state } = query;
  if (q === undefined || developer !== undefined || [...q].length < 3) return false;
  if (cursor !== undefined) return isCursor(cursor, orderOf(true, newestFirst));
  if (state === undefined) return true;
  const { storage: { reader }, principal: { org_id } } = ctx;
  return await counters[state].count(reader, org_id) > WALKED_AT_MOST;
}

const counters = {
  pending: listCounter([listOf("pending", 0), listOf("pending", 1)]),
  issued: listCounter([listOf("issued", 1)]),
  declined: listCounter([listOf("declined", 0), listOf("declined", 1)]),
};

/** How many key requests there are in each state. */
export async function countNative(ctx: RequestContext) {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const [pending, issued, declined] = await Promise.all([
    counters.pending.count(reader, org_id),
    counters.issued.count(reader, org_id),
    counters.declined.count(reader, org_id),
  ]);
  return { pending, issued, declined, all: pending + issued + declined };
}

/** One key request in any state, with its ETag. Throws `not_found`. */
export async function getNative(
  ctx: RequestContext,
  id: string,
): Promise<HeadedAnswer<JsonText>> {
  const { storage: { reader }, principal: { org_id }, liveCatalogue } = ctx;
  const row = await findNative(reader, org_id, id);
  if (!row) throw new Failure("not_found");
  const live = await liveCatalogue.at(reader, org_id, row.catalogue_revision);
  const text = showDetail(row, org_id, live, await findBriefs(reader, org_id, row.by_user));
  return new HeadedAnswer(new JsonText(text), {
    etag: `"${revisionOf(row)}"`,
  });
}

async function pageOf(
  ctx: RequestContext,
  rows: readonly NativeRow[],
  next_cursor: string | null,
  isComplete: boolean,
): Promise<ListPage> {
  const { storage: { reader }, principal: { org_id }, liveCatalogue } = ctx;
  const shown: string[] = [];
  for (const row of rows) {
    const live = await liveCatalogue.at(reader, org_id, row.catalogue_revision);
    shown.push(showNative(row, org_id, live));
  }
  const text = `{"data":[${shown.join(",")}],"next_cursor":${JSON.stringify(next_cursor)}${
    isComplete ? "" : `,"incomplete":true`
  }}`;
  return { text: new JsonText(text), next_cursor };
}

type WalkOf = { walk: Walk; named?: string; state?: RequestState };

/** The narrowest indexes: a developer's own, else those of the plans, else those of the state. */
async function walksOf(ctx: RequestContext, query: ListQuery): Promise<WalkOf[]> {
  const { developer, state } = query;
  if (developer !== undefined) return [{ walk: "developer", named: developer }];
  const plans = await plansOf(ctx, query);
  if (plans) {
    const states: RequestState[] = state ? [state] : ["pending", "issued", "declined"];
    return plans.flatMap((named) =>
      states.map((one) => ({ walk: "plan" as const, named, state: one }))
    );
  }
  switch (state) {
    case undefined:
      return [{ walk: "open" }, { walk: "declined" }];
    case "pending":
      return [{ walk: "unapproved" }, { walk: "waiting" }];
    default:
      return [{ walk: state }];
  }
}

/** The plans that are asked for; undefined: any. */
async function plansOf(ctx: RequestContext, query: ListQuery): Promise<string[] | undefined> {
  const { plan, api } = query;
  if (api === undefined) return plan === undefined ? undefined : [plan];
  const { storage: { reader }, principal: { org_id } } = ctx;
  const plans = [...new Set(await findPlansOfApi(reader, org_id, api, MOST_PLANS))];
  return plan === undefined ? plans : plans.filter((one) => one === plan);
}

function sourceOf(ctx: RequestContext, walk: WalkOf, newestFirst: boolean): Source {
  const { storage: { reader }, principal: { org_id } } = ctx;
  return async (place, limit) => {
    const rows = await walkRequests(reader, org_id, walk, { newestFirst, place, limit });
    return rows.map((row) => ({ place: { sort: row.instant, id: row.id }, row }));
  };
}

function merge(parts: readonly PlacedRow[][], newestFirst: boolean): PlacedRow[] {
  const sign = newestFirst ? -1 : 1;
  return parts.flat().sort(({ place: a }, { place: b }) => {
    if (a.sort !== b.sort) return a.sort < b.sort ? -sign : sign;
    return a.id < b.id ? -sign : sign;
  });
}

function filterOf(plans: readonly string[] | undefined, query: ListQuery) {
  const { state, developer } = query;
  const q = query.q?.toLowerCase();
  const after = instantOf(query.asked_after) ?? "";
  const before = instantOf(query.asked_before) ?? LAST;
  return (row: NativeRow): boolean =>
    (state === undefined || row.state === state) &&
    (developer === undefined || row.by_user === developer) &&
    (plans === undefined || plans.includes(row.for_plan)) &&
    row.instant >= after && row.instant < before &&
    (q === undefined || searchText(row).includes(q));
}

/** Sorts after every instant. */
const LAST = "~";

function instantOf(time: string | undefined): string | undefined {
  return time === undefined ? undefined : parseTimestamp(time)?.instant;
}

/** Before every row that is asked for. */
function startOf(query: ListQuery, newestFirst: boolean): Place {
  const sort = newestFirst
    ? instantOf(query.asked_before) ?? LAST
    : instantOf(query.asked_after) ?? "";
  return { sort, id: "" };
}

/** Whether a walk has come past all that is asked for. */
function endOf(query: ListQuery, newestFirst: boolean): (row: NativeRow) => boolean {
  const after = instantOf(query.asked_after) ?? "";
  const before = instantOf(query.asked_before) ?? LAST;
  return newestFirst ? (row) => row.instant < after : (row) => row.instant >= before;
}
