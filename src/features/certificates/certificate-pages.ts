import type { RequestContext } from "../../calls/context.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import { countKinds, seekPage } from "./certificate-counts.store.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import {
  certificatesAt,
  countFound,
  foundCertificates,
  gatherMatches,
  placeIn,
} from "./certificate-list.store.ts";
import { seekName } from "./certificate-name-ranges.store.ts";
import { GATHERED } from "./certificate-source.ts";
import { type After, finderOf, mustGather, type Selection, start } from "./selection.ts";

/** Matches of a condition on time are counted up to here. */
const COUNTED = 1000;
/** Up to this offset an index is walked; further down the counters find the place. */
const NEAR = 256;
/** Until all are counted by name, one statement passes so many: others run between two. */
const STEP = 10_000;

/** A page of a list. */
interface Page {
  rows: ListedRow[];
  total: number;
  /** More match than `total` says. */
  capped: boolean;
}

/** The page that begins behind `offset` certificates of a selection. */
export async function pageOf(
  ctx: RequestContext,
  selection: Selection,
  columns: Columns,
  offset: number,
): Promise<Page> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize: limit } } = ctx;
  if (mustGather(selection)) {
    const gather = { by: finderOf(selection), most: GATHERED };
    const { matches, next } = await gatherMatches(reader, org_id, selection, gather);
    const wanted = matches.slice(offset, offset + limit);
    const rows = await certificatesAt(reader, org_id, selection, columns, wanted);
    return { rows, total: matches.length, capped: next !== undefined };
  }
  const n = selection.times === null
    ? await countKinds(reader, org_id, selection.kinds)
    : await countFound(reader, org_id, selection, COUNTED + 1);
  const capped = selection.times !== null && n > COUNTED;
  const total = capped ? COUNTED : n;
  const rows = await cut(ctx, selection, columns, offset, { total, isAll: !capped });
  return { rows, total, capped };
}

/** A page of an index. The second half of what is known whole is walked from its end. */
async function cut(
  ctx: RequestContext,
  selection: Selection,
  columns: Columns,
  offset: number,
  { total, isAll }: { total: number; isAll: boolean },
): Promise<ListedRow[]> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
  const limit = Math.min(pageSize, total - offset);
  if (limit <= 0) return [];
  const { times } = selection;
  const rest = total - offset - limit;
  const fromEnd = isAll && offset > total / 2;
  const skip = fromEnd ? rest : offset;
  const before = selection.descending ? rest : offset;
  // A condition on time has no more pages than may be walked to.
  const far = skip <= NEAR || times !== null ? undefined : await seek(ctx, selection, before);
  if (far === undefined) {
    const descending = selection.descending !== fromEnd;
    let place = { after: start(selection, descending), skip };
    const slices = new TimeSlices();
    while (place.skip > STEP) {
      place = await step(ctx, selection, place, descending);
      await slices.next();
    }
    const near = { ...place, limit, descending };
    const rows = await foundCertificates(reader, org_id, selection, columns, near);
    return fromEnd ? rows.reverse() : rows;
  }
  const place = { ...far, limit, descending: false };
  const rows = await foundCertificates(reader, org_id, selection, columns, place);
  return selection.descending ? rows.reverse() : rows;
}

/** The place behind so many of a selection, ascending, by what is counted; undefined: it is not. */
async function seek(ctx: RequestContext, { found, kinds }: Selection, before: number) {
  const { storage: { reader }, principal: { org_id } } = ctx;
  if (found === "subject_key") return await seekName(reader, org_id, kinds, before);
  if (found === "not_before") return undefined;
  return await seekPage(reader, org_id, found, kinds, before);
}

/** A place with a step less to skip. */
async function step(
  ctx: RequestContext,
  selection: Selection,
  { after, skip }: { after: After; skip: number },
  descending: boolean,
): Promise<{ after: After; skip: number }> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const page = { after, skip: STEP - 1, limit: 1, descending };
  const [last] = await foundCertificates(reader, org_id, selection, "basics", page);
  // Others removed what was left: the page is empty.
  if (!last) return { after, skip: STEP };
  return { after: placeIn(selection.found, last), skip: skip - STEP };
}
