import { useEffect, useMemo } from "preact/hooks";
import { type Answer, PagedList } from "../api/paged-list.ts";

/** Rows that are asked for at a time. */
export const PAGE = 50;

/**
 * The list that belongs to `name`: another name (other filters) is another list, from its beginning. `read` gives one
 * page; keep of its rows only what the list shows.
 *
 *     const list = useList(`keys ${state}`, (key) => key.key_id, (cursor, signal) =>
 *       api.call(listKeys, { query: { state, limit: PAGE, cursor } }, signal));
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
