import { PAGE_LIMIT } from "../contract/native.ts";
import type { Page } from "../contract/paging.ts";
import { readCursor, writeCursor } from "../lib/cursor.ts";

/** How a page is asked for. */
export interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Above every id. */
const NEWEST = "~";

/** A page of rows that were read from `placeOf` on. */
export function toPage<T extends { id: string }>(
  rows: T[],
  { limit = PAGE_LIMIT }: PageQuery,
  order: string,
): Page<T> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last ? writeCursor(order, { sort: "", id: last.id }) : null };
}

/** The id below which a page starts. */
export function placeOf({ cursor }: PageQuery, order: string): string {
  return cursor === undefined ? NEWEST : readCursor(cursor, order).id;
}
