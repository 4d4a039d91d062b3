import { useEffect, useRef } from "preact/hooks";
import { api } from "../../api/client.ts";
import { useCounts } from "../../api/counts.ts";
import { listKeyRequests } from "../../api/endpoints.ts";
import type { PagedList } from "../../api/paged-list.ts";
import { useQuery } from "../../api/queries.ts";
import { announce } from "../../parts/announcer.tsx";
import { FIRST_PAGE } from "../../parts/use-list.ts";
import { say } from "../../said.ts";
import { type Filters, queryOf } from "./request-filters.ts";
import type { RequestRow } from "./request.ts";

/**
 * "3 new": requests that came since the list was read. They wait for a click, so that nothing moves
 * by itself.
 */
export function News({ list, filters, onShow }: {
  list: PagedList<RequestRow>;
  filters: Filters;
  onShow: () => void;
}) {
  const all = useCounts()?.all;
  const base = useRef<{ list: PagedList<RequestRow>; all: number }>(undefined);
  if (all !== undefined && base.current?.list !== list) base.current = { list, all };
  const grown = all !== undefined && base.current !== undefined && all > base.current.all;
  const newest = list.at(0);
  const { data: count = 0 } = useQuery({
    queryKey: ["key-requests", "news", JSON.stringify(filters), newest?.id, all],
    queryFn: async () => {
      const { data } = await api.call(listKeyRequests, { query: queryOf(filters, undefined) });
      return data.filter(({ id, date_created }) =>
        list.indexOf(id) < 0 && (newest === undefined || date_created >= newest.askedAt)
      ).length;
    },
    enabled: grown && filters.sort !== "oldest",
    gcTime: 0,
  });
  const shown = grown && filters.sort !== "oldest" ? count : 0;
  useEffect(() => {
    if (shown === 0) return;
    // Where nothing stands, nothing can move.
    if (list.length === 0) onShow();
    else announce(shown === 1 ? "1 new request" : say`${words(shown)} new requests`);
  }, [shown]);
  if (shown === 0) return null;
  return (
    <button type="button" class="news" onClick={onShow}>
      {words(shown)} new
    </button>
  );
}

function words(count: number): string {
  return count >= FIRST_PAGE ? `${FIRST_PAGE} or more` : String(count);
}
