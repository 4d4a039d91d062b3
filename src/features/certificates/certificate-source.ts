import type { ServiceContext } from "../../calls/context.ts";
import { type Place, wrongCursor } from "../../kernel/cursor.ts";
import { type Source, source } from "../../kernel/walk.ts";
import { type Columns, comparePlaces, type ListedRow } from "./certificate-keys.store.ts";
import {
  certificatesAt,
  foundCertificates,
  gatherMatches,
  placeIn,
} from "./certificate-list.store.ts";
import { type After, finderOf, mustGather, type Selection, start } from "./selection.ts";

/** Matches that are sorted, or searched for a page: so many, and no more. */
export const GATHERED = 1000;
/** Rows that are looked at in one statement where not all are wanted, at the most. */
const WINDOW = 256;

/** The place before every certificate of a selection. */
export function firstPlace(selection: Selection): Place {
  const { order, descending } = selection;
  return placeOf(
    start(mustGather(selection) ? { found: order, times: null } : selection, descending),
  );
}

/**
 * The certificates of a selection in the order asked for. If an index has that order, it is walked.
 * Otherwise up to GATHERED matches are gathered and sorted; if there are more, the index of the
 * order asked for is walked and each row looked at. A page of a search in the order of addition
 * goes on where the one before ended; far on that is slow, so anyone who wants the `whole` list
 * walks it. A place that no page can have ended at throws `invalid_input`.
 */
export async function certificateSource(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
  { whole = false } = {},
): Promise<Source<ListedRow>> {
  const { reader } = ctx.storage;
  const { order, descending } = selection;
  if (!mustGather(selection)) {
    return source((place, limit) => {
      const page = { after: afterOf(place, order), skip: 0, limit, descending };
      return foundCertificates(reader, org_id, selection, columns, page);
    }, (row) => placeOf(placeIn(order, row)));
  }
  const part = async (matches: After[], next: After | undefined, looked: number) => {
    const rows = await certificatesAt(reader, org_id, selection, columns, matches);
    return {
      rows: rows.map((row) => ({ place: placeOf(placeIn(order, row)), row })),
      next: next ? placeOf(next) : null,
      looked,
    };
  };
  const by = finderOf(selection);
  const goesOn = order === selection.found && !whole;
  const { matches, next } = goesOn
    ? { matches: [], next: true }
    : await gatherMatches(reader, org_id, selection, { by, most: GATHERED });
  if (next === undefined) {
    const sign = descending ? -1 : 1;
    return (place, limit) => {
      const after = afterOf(place, order);
      const behind = matches.filter((one) => sign * comparePlaces(one, after) > 0);
      const page = behind.slice(0, limit);
      return part(page, behind.length > limit ? page.at(-1) : undefined, page.length);
    };
  }
  return async (place, limit) => {
    const most = goesOn || limit <= 100 ? limit : WINDOW;
    const found = await gatherMatches(reader, org_id, selection, {
      by: goesOn ? by : order,
      most,
      after: afterOf(place, order),
    });
    return await part(found.matches, found.next, most);
  };
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
