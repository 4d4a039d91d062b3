import { useEffect, useMemo } from "preact/hooks";
import { type Answer, PagedList } from "../api/paged-list.ts";

/** Rows that are asked for at a time. */
export const PAGE = 50;

/** Rows of the first page: they fill a screen, and stand there sooner. */
export const FIRST_PAGE = 25;

/** How many rows to ask for with a cursor. */
export function limitOf(cursor: string | undefined): number {
  return cursor === undefined ? FIRST_PAGE : PAGE;
}

/**
 * The list that belongs to `name`: another name (other filters) is another list, from its beginning. `read` gives one
 * page; keep of its rows only what the list shows.
 *
 *     const list = useList(`keys ${state}`, (key) => key.key_id, (cursor) =>
 *       api.call(listKeys, { query: { state, limit: limitOf(cursor), cursor } }));
 */
export function useList<Row>(
  name: string,
  keyOf: (row: Row) => string,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Answer<Row>>,
): PagedList<Row> {
  const list = useMemo(() => new PagedList(keyOf, read), [name]);
  useEffect(() => {
    list.open();
    return () => list.close();
  }, [list]);
  return list;
}
