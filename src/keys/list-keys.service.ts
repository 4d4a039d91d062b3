import { Buffer } from "node:buffer";
import type { z } from "zod";
import type { RequestContext } from "../context.ts";
import {
  anyState,
  FIRST,
  type KeyRow,
  keySources,
  type ListPlace,
  type ListWalk,
  type RowsAtOnce,
} from "../credentials/key-list.store.ts";
import { toTimestamp } from "../lib/clock.ts";
import { Failure } from "../lib/failure.ts";
import { stateOf } from "./key.ts";
import type { listQuery } from "./keys.contract.ts";
import { type Key, showKey } from "./show-key.ts";

/** What a list is narrowed by. */
export type ListQuery = z.output<typeof listQuery>;

/** A page of keys. */
export interface KeyPage {
  data: Key[];
  next_cursor: string | null;
}

const LIMIT = 20;

/**
 * Rows that one page looks at, at the most. Filters that no index serves together (a developer and a plan, what
 * has expired within a plan) leave out rows, and a page of few keys is better than one that nobody awaits.
 */
const WALKED_AT_MOST = 1000;

/**
 * A page of keys after `cursor`, newest first, or by their end where they are asked for as expired. Walks one
 * index; rows that are inserted meanwhile move nothing. Throws `invalid_input` for a cursor of another list.
 */
export async function listKeys(ctx: RequestContext, query: ListQuery): Promise<KeyPage> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const now = toTimestamp(ctx.clock.now());
  const walk = walkOf(query, now);
  const sources = keySources(org_id, walk);
  const limit = query.limit ?? LIMIT;
  const order = walk.by === "end" ? "end" : "newest";
  let place = query.cursor === undefined ? FIRST : readCursor(query.cursor, order);
  const data: Key[] = [];
  let atOnce: RowsAtOnce = limit < 21 ? 21 : 101;
  for (let walked = 0; walked < WALKED_AT_MOST;) {
    const from = place;
    const parts = await Promise.all(sources.map((source) => source(reader, from, atOnce)));
    // Each source gave all that it has up to so many rows, so that many of their merge are in order.
    const rows = parts.flat().sort(newerFirst).slice(0, atOnce);
    for (const row of rows) {
      const shown = showKey(row, now);
      if (matches(row, shown, query, now)) {
        if (data.length === limit) return { data, next_cursor: writeCursor(order, place) };
        data.push(shown);
      }
      place = { sort: row.sort, key_id: row.key_id };
      walked++;
    }
    if (rows.length < atOnce) return { data, next_cursor: null };
    atOnce = 101;
  }
  return { data, next_cursor: writeCursor(order, place) };
}

/** The narrowest index: a plan's or developer's own, else that of the state. */
function walkOf(query: ListQuery, now: string): ListWalk {
  const { developer, plan, state } = query;
  const states = state === undefined
    ? anyState
    : state === "expired"
    ? (["active", "suspended"] as const)
    : [state];
  if (developer !== undefined) return { by: "developer", developer_id: developer, states };
  if (plan !== undefined) return { by: "plan", plan_id: plan, states };
  return state === "expired" ? { by: "end", now } : { by: "all", states };
}

function matches(row: KeyRow, shown: Key, query: ListQuery, now: string): boolean {
  return (query.state === undefined || stateOf(row, now) === query.state) &&
    (query.plan === undefined || shown.plans.includes(query.plan));
}

function newerFirst(a: ListPlace, b: ListPlace): number {
  if (a.sort !== b.sort) return a.sort > b.sort ? -1 : 1;
  return a.key_id > b.key_id ? -1 : 1;
}

type Order = "newest" | "end";

function writeCursor(order: Order, { sort, key_id }: ListPlace): string {
  return Buffer.from(JSON.stringify([order, sort, key_id])).toString("base64url");
}

function readCursor(text: string, order: Order): ListPlace {
  try {
    const [of, sort, key_id] = JSON.parse(Buffer.from(text, "base64url").toString());
    const texts = [sort, key_id].every((one) => typeof one === "string" && one.isWellFormed());
    if (of === order && texts && !`${sort}${key_id}`.includes("\0")) return { sort, key_id };
  } catch {
    // Said below.
  }
  const message = "cursor: expected the next_cursor of the same list";
  throw new Failure("invalid_input", { message, details: [message] });
}
