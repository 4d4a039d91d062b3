import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Answer, PagedList } from "../api/paged-list.ts";
import { keep, placeOf, takeKept } from "./kept-lists.ts";

/** Rows that are asked for at a time. */
export const PAGE = 50;

/** Rows of the first page: they fill a screen, and stand there sooner. */
export const FIRST_PAGE = 25;

/** How many rows to ask for with a cursor. */
export function limitOf(cursor: string | undefined): number {
  return cursor === undefined ? FIRST_PAGE : PAGE;
}

/**
 * The list that belongs to `name`: another name (other filters) is another list, from its
 * beginning. Who comes back to it by the browser's own way finds it as far as it was read, and
 * where it was; its rows are read again. `read` gives one page; keep of its rows only what the list
 * shows.
 *
 *     const list = useList(`keys ${state}`, (key) => key.key_id, (cursor) =>
 *       api.call(listKeys, { query: { state, limit: limitOf(cursor), cursor } }));
 */
export function useList<Row>(
  name: string,
  keyOf: (row: Row) => string,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Answer<Row>>,
): PagedList<Row> {
  const isFirst = useRef(true);
  const place = useRef(placeOf(location));
  const list = useMemo(() => {
    const before = isFirst.current ? takeKept<Row>(place.current) : undefined;
    isFirst.current = false;
    return before ?? new PagedList(keyOf, read);
  }, [name]);
  // Its call goes out with the first rendering, not after the first frame.
  useLayoutEffect(() => {
    list.open();
    place.current = placeOf(location);
    return () => {
      list.close();
      keep(place.current, list);
    };
  }, [list]);
  return list;
}
