import type { ServiceContext } from "../../calls/context.ts";
import { type Place, wrongCursor } from "../../kernel/cursor.ts";
import { type Part, type Source, source } from "../../kernel/walk.ts";
import { type Columns, comparePlaces, type ListedRow } from "./certificate-keys.store.ts";
import {
  certificatesAt,
  foundCertificates,
  gatherMatches,
  sievedCertificates,
} from "./certificate-list.store.ts";
import { type After, mustGather, type Selection, start } from "./selection.ts";

/** Matches that are sorted, or searched for a page: so many, and no more. */
export const GATHERED = 1000;
/** Rows of a long window of an order in which not all are wanted. */
const WINDOW = 256;

/** The place before every certificate of a selection. */
export function firstPlace(selection: Selection): Place {
  const { order, descending } = selection;
  return placeOf(
    start(mustGather(selection) ? { found: order, times: null } : selection, descending),
  );
}

/**
 * The certificates of a selection in the order asked for. What an index gives in that order is walked. What it does
 * not is gathered and sorted, up to GATHERED matches; where there are more, the index of the order asked for is
 * walked and each row looked at. A place that no page can have ended at throws `invalid_input`.
 */
export async function certificateSource(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
): Promise<Source<ListedRow>> {
  const { reader } = ctx.storage;
  const { order, descending } = selection;
  if (!mustGather(selection)) {
    return source((place, limit) => {
      const page = { after: afterOf(place, order), skip: 0, limit, descending };
      return foundCertificates(reader, org_id, selection, columns, page);
    }, (row) => placeOf(keyOf(row, order)));
  }
  const part = (rows: ListedRow[], next: After | undefined, looked: number): Part<ListedRow> => ({
    rows: rows.map((row) => ({ place: placeOf(keyOf(row, order)), row })),
    next: next ? placeOf(next) : null,
    looked,
  });
  if (order === selection.found) {
    return async (place, limit) => {
      const page = { most: limit, after: afterOf(place, order).position };
      const { matches, next } = await gatherMatches(reader, org_id, selection, page);
      const rows = await certificatesAt(reader, org_id, selection, columns, matches);
      return part(rows, next === undefined ? undefined : { key: next, position: next }, limit);
    };
  }
  const { matches, next } = await gatherMatches(reader, org_id, selection, { most: GATHERED });
  if (next === undefined) {
    return async (place, limit) => {
      const after = afterOf(place, order);
      const sign = descending ? -1 : 1;
      const behind = matches.filter((one) => sign * comparePlaces(one, after) > 0);
      const page = behind.slice(0, limit);
      const rows = await certificatesAt(reader, org_id, selection, columns, page);
      return part(rows, behind.length > limit ? page.at(-1) : undefined, page.length);
    };
  }
  return async (place, limit) => {
    const window = limit > 100 ? WINDOW : limit;
    const page = { after: afterOf(place, order), window };
    const { rows, last } = await sievedCertificates(reader, org_id, selection, columns, page);
    return part(rows, last, window);
  };
}

function keyOf(row: ListedRow, order: Selection["order"]): After {
  return { key: row[order], position: row.position };
}

function placeOf({ key, position }: After): Place {
  return { sort: String(key), id: String(position) };
}

/** Throws `invalid_input` where no page can have ended. */
function afterOf({ sort, id }: Place, order: Selection["order"]): After {
  const position = Number(id);
  const isPosition = /^\d+$/.test(id) && Number.isSafeInteger(position);
  if (!isPosition || (order === "position" && sort !== id)) throw wrongCursor();
  return { key: order === "position" ? position : sort, position };
}
