import { Buffer } from "node:buffer";
import { type CursorCover, type Place, readCursor, writeCursor } from "./cursor.ts";
import { TimeSlices } from "./time-slices.ts";

/** How a page is asked for. */
export interface PageQuery {
  /** Rows of the page; PAGE_LIMIT where absent. */
  limit?: number | undefined;
  /** The `next_cursor` of the page before; absent: the first page. */
  cursor?: string | undefined;
}

/** A list that is read by cursor. */
export interface WalkedList<Row> {
  /** Names the order of the list in its cursors. */
  order: string;
  /** The place before every row. */
  first: Place;
  /** The list is the merge of these. */
  sources: readonly Source<Row>[];
  /** Whether places ascend; absent: they descend. Only a merge asks. */
  ascending?: boolean;
  /** Whether the page shows a row; absent: it shows every row. */
  wanted?(row: Row): boolean;
  /** Whether a row, and with it every row behind it, lies behind what is asked for. */
  isPast?(row: Row): boolean;
  /** Rows that a page looks at, at the most; MOST_LOOKED where absent. */
  mostLooked?: number;
  /** Encrypts cursors: a page may end at a row that it doesn't show. */
  cover?: CursorCover | undefined;
}

/** Reads the rows behind a place, in the order of the list: about `limit` of them. */
export type Source<Row> = (place: Place, limit: number) => Promise<Part<Row>>;

/** The part that a source read. */
export interface Part<Row> {
  rows: { place: Place; row: Row }[];
  /** The place behind which the source goes on; null: there is nothing more. */
  next: Place | null;
  /** How many rows the source looked at. */
  looked: number;
}

/** Rows of a page where the call does not say. */
const PAGE_LIMIT = 20;
/**
 * Rows that a page looks at where a list does not say. Filters that no index serves together leave
 * rows out, and a page of few rows is better than one that no one awaits.
 */
const MOST_LOOKED = 1000;
/**
 * How many rows are read at once: one more than the page first, then many. Few numbers make few
 * statements.
 */
const AT_ONCE = [21, 51];
const MANY = 101;

/**
 * A page of a list, and the cursor of the next page; null: this is the last page. Rows that come in
 * meanwhile move nothing. Throws `invalid_input` for a cursor of another list.
 */
export async function walk<Row>(
  list: WalkedList<Row>,
  { limit = PAGE_LIMIT, cursor }: PageQuery,
): Promise<{ rows: Row[]; next_cursor: string | null }> {
  const { order, sources, wanted, isPast, mostLooked = MOST_LOOKED, cover } = list;
  let place = cursor === undefined ? list.first : readCursor(cursor, order, cover);
  const rows: Row[] = [];
  const slices = new TimeSlices();
  for (let looked = 0; looked < mostLooked;) {
    const found = rows.length;
    const [from, atOnce] = [place, looked === 0 ? atFirst(limit) : MANY];
    const parts = await Promise.all(sources.map((source) => source(from, atOnce)));
    const part = merge(parts, list.ascending ?? false);
    for (const { place: at, row } of part.rows) {
      if (isPast?.(row)) return { rows, next_cursor: null };
      if (wanted?.(row) ?? true) {
        if (rows.length === limit) return { rows, next_cursor: writeCursor(order, place, cover) };
        rows.push(row);
      }
      place = at;
    }
    if (part.next === null) return { rows, next_cursor: null };
    place = part.next;
    looked += part.looked;
    // The engine may have answered at once: the calls that arrived meanwhile come first.
    if (rows.length === found) await slices.next();
  }
  return { rows, next_cursor: writeCursor(order, place, cover) };
}

/** The source that `read` is: up to `limit` rows behind a place, and fewer only at the end. */
export function source<Row>(
  read: (place: Place, limit: number) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
): Source<Row> {
  return async (place, limit) => {
    const rows = (await read(place, limit)).map((row) => ({ place: placeOf(row), row }));
    const next = rows.length < limit ? null : rows.at(-1)?.place ?? null;
    return { rows, next, looked: rows.length };
  };
}

/** A list that ids sort, newest first. `read` gives up to `limit` rows with smaller ids. */
export function byId<Row extends { id: string }>(
  order: string,
  read: (below: string, limit: number) => Promise<Row[]>,
): WalkedList<Row> {
  const placeOf = ({ id }: { id: string }) => ({ sort: "", id });
  const rows = source((place, limit) => read(place.id, limit), placeOf);
  return { order, first: placeOf({ id: "~" }), sources: [rows] };
}

function atFirst(limit: number): number {
  return AT_ONCE.find((rows) => rows > limit) ?? MANY;
}

/** Up to the first place where a source goes on, every source gave all that it has. */
function merge<Row>(parts: readonly Part<Row>[], ascending: boolean): Part<Row> {
  const [only, ...others] = parts;
  if (only && others.length === 0) return only;
  const sign = ascending ? 1 : -1;
  const inOrder = (a: Place, b: Place) => sign * compare(a, b);
  const [next = null] = parts.flatMap((part) => part.next ?? []).sort(inOrder);
  const rows = parts.flatMap((part) => part.rows)
    .filter(({ place }) => next === null || inOrder(place, next) <= 0)
    .sort((a, b) => inOrder(a.place, b.place))
    // Two sources may give the same row.
    .filter(({ place }, i, all) => i === 0 || inOrder(all[i - 1]?.place ?? place, place) !== 0);
  return { rows, next, looked: rows.length };
}

function compare(a: Place, b: Place): number {
  return bytewise(a.sort, b.sort) || bytewise(a.id, b.id);
}

/**
 * As both engines compare; JavaScript's own order is that of UTF-16, the same where neither has
 * surrogates.
 */
function bytewise(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const SURROGATE = /[\ud800-\udfff]/;
