import { setImmediate } from "node:timers/promises";
import type { ServiceContext } from "../context.ts";
import { type Place, readCursor, writeCursor } from "../lib/cursor.ts";
import { Failure } from "../lib/failure.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import {
  countGathered,
  foundCertificates,
  gatheredBehind,
  searchedCertificates,
  sievedCertificates,
} from "./certificate-list.store.ts";
import { GATHERED } from "./certificate-stream.ts";
import { type After, mustGather, type Selection, start } from "./selection.ts";

/** What a page is cut out of. */
export interface CursorPage {
  /** What the page before ended with; absent: the first page. */
  cursor?: string | undefined;
  limit: number;
  columns: Columns;
  /** Leaves out what no index can; absent: everything is wanted. */
  wanted?: (row: ListedRow) => boolean;
}

/**
 * Rows that one page looks at, at the most, where they are not all wanted: a page of few certificates is better than
 * one that nobody awaits.
 */
const WALKED_AT_MOST = 4096;
/** Rows of a window of an order in which not all are wanted. */
const WINDOW = 256;

/** Rows behind a place, and where to go on; undefined: there are no more. */
type Source = (
  after: After,
  atOnce: number,
) => Promise<{ rows: ListedRow[]; last: After | undefined }>;

/**
 * A page of a selection behind a cursor, and the next one's. It walks one index, or sorts a thousand matches at the
 * most, so that a page costs the same however many there are. Throws `invalid_input` for a cursor of another order.
 */
export async function pageBehind(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  page: CursorPage,
): Promise<{ rows: ListedRow[]; next_cursor: string | null }> {
  const { limit, wanted = () => true } = page;
  const { order, descending } = selection;
  const name = `certificates ${order} ${descending ? "desc" : "asc"}`;
  const cursorOf = (after: After) =>
    writeCursor(name, { sort: String(after.key), id: String(after.position) });
  const first = mustGather(selection)
    ? start({ found: order, times: null }, descending)
    : start(selection, descending);
  let place = page.cursor === undefined ? first : afterOf(readCursor(page.cursor, name), order);
  const isSieve = selection.order !== selection.found;
  const source = await sourceOf(ctx, org_id, selection, page.columns);
  const rows: ListedRow[] = [];
  for (let walked = 0; walked < WALKED_AT_MOST;) {
    const atOnce = isSieve && walked > 0 ? WINDOW : limit < 21 ? 21 : 101;
    const part = await source(place, atOnce);
    for (const row of part.rows) {
      if (!wanted(row)) continue;
      const last = rows.at(-1);
      if (last && rows.length === limit) return { rows, next_cursor: cursorOf(at(last, order)) };
      rows.push(row);
    }
    if (part.last === undefined) return { rows, next_cursor: null };
    place = part.last;
    walked += atOnce;
    // The engine may have answered at once: the calls that arrived meanwhile come first.
    if (part.rows.length === 0) await setImmediate();
  }
  return { rows, next_cursor: cursorOf(place) };
}

async function sourceOf(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
): Promise<Source> {
  const { reader } = ctx.storage;
  const { order, descending } = selection;
  const upTo = (rows: ListedRow[], limit: number) => {
    const last = rows.at(-1);
    return { rows, last: last && rows.length === limit ? at(last, order) : undefined };
  };
  if (!mustGather(selection)) {
    return async (after, limit) => {
      const page = { after, skip: 0, limit, descending };
      return upTo(await foundCertificates(reader, org_id, selection, columns, page), limit);
    };
  }
  if (order === selection.found) {
    return async ({ position }, gather) => {
      const page = { after: position, gather };
      const { rows, last } = await searchedCertificates(reader, org_id, selection, columns, page);
      return { rows, last: last === undefined ? undefined : { key: last, position: last } };
    };
  }
  const { looked } = await countGathered(reader, org_id, selection, GATHERED + 1);
  if (looked <= GATHERED) {
    return async (after, limit) => {
      const page = { gather: GATHERED, after, limit };
      return upTo(await gatheredBehind(reader, org_id, selection, columns, page), limit);
    };
  }
  return (after, window) =>
    sievedCertificates(reader, org_id, selection, columns, { after, window });
}

function at(row: ListedRow, order: Selection["order"]): After {
  return { key: row[order], position: row.position };
}

/** Throws `invalid_input` where no page can have ended. */
function afterOf({ sort, id }: Place, order: Selection["order"]): After {
  if (/^\d{1,15}$/.test(id) && (order !== "position" || sort === id)) {
    const position = Number(id);
    return { key: order === "position" ? position : sort, position };
  }
  const message = "cursor: expected the next_cursor of the same list";
  throw new Failure("invalid_input", { message, details: [message] });
}
