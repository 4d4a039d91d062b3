import type { ServiceContext } from "../../calls/context.ts";
import { type PageQuery, walk } from "../../kernel/walk.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import { certificateSource, firstPlace } from "./certificate-source.ts";
import type { Selection } from "./selection.ts";

/** The source of a page. */
interface CursorPage extends PageQuery {
  columns: Columns;
  /** Leaves out what no index can; absent: everything is wanted. */
  wanted?: (row: ListedRow) => boolean;
}

/** Rows that one page looks at, at the most, where they are not all wanted. */
const MOST_LOOKED = 4096;

/**
 * A page of a selection behind a cursor, and the next one's. It walks one index, or sorts a
 * thousand matches at the most, so that a page costs the same however many there are. Throws
 * `invalid_input` for a cursor of another order.
 */
export async function pageBehind(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  { columns, wanted, ...page }: CursorPage,
): Promise<{ rows: ListedRow[]; next_cursor: string | null }> {
  const { order, descending } = selection;
  const list = {
    order: `certificates ${order} ${descending ? "desc" : "asc"}`,
    first: firstPlace(selection),
    sources: [await certificateSource(ctx, org_id, selection, columns)],
    mostLooked: MOST_LOOKED,
  };
  return await walk(wanted ? { ...list, wanted } : list, page);
}
