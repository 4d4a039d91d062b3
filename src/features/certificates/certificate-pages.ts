import type { RequestContext } from "../../calls/context.ts";
import { listCounter } from "../../storage/list-counts.ts";
import { variants } from "../../storage/variants.ts";
import { seekSorted } from "./certificate-blocks.store.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import {
  certificatesAt,
  countFound,
  foundCertificates,
  gatherMatches,
} from "./certificate-list.store.ts";
import { GATHERED } from "./certificate-source.ts";
import { listOf } from "./certificate.ts";
import { positionKey } from "./certificates.store.ts";
import { type After, mustGather, type Selection, start } from "./selection.ts";

/** Matches of a condition on time are counted up to here. */
const COUNTED = 1000;
/** Up to this offset an index is walked; further down the counters find the place. */
const NEAR = 256;

/** A page of a list. */
export interface Page {
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
    const { matches, next } = await gatherMatches(reader, org_id, selection, { most: GATHERED });
    const wanted = matches.slice(offset, offset + limit);
    const rows = await certificatesAt(reader, org_id, selection, columns, wanted);
    return { rows, total: matches.length, capped: next !== undefined };
  }
  if (selection.times !== null) {
    const n = await countFound(reader, org_id, selection, COUNTED + 1);
    const total = Math.min(n, COUNTED);
    const rows = await cut(ctx, selection, columns, offset, { total, isAll: n === total });
    return { rows, total, capped: n > total };
  }
  const total = await counterOf(selection.kinds).count(reader, org_id);
  const rows = await cut(ctx, selection, columns, offset, { total, isAll: true });
  return { rows, total, capped: false };
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
  const { found, times, kinds } = selection;
  const fromEnd = isAll && offset > total / 2;
  const descending = selection.descending !== fromEnd;
  const skip = fromEnd ? total - offset - limit : offset;
  const near = { after: start(selection, descending), skip, limit, descending };
  // A condition on time has no more pages than may be walked to.
  if (times !== null || skip <= NEAR) {
    const rows = await foundCertificates(reader, org_id, selection, columns, near);
    return fromEnd ? rows.reverse() : rows;
  }
  const fromStart = selection.descending ? total - offset - limit : offset;
  const place = found === "not_after" || found === "subject_key"
    ? await seekSorted(reader, org_id, found, kinds, fromStart)
    : await seekAdded(ctx, kinds, fromStart);
  const rows = await foundCertificates(reader, org_id, selection, columns, {
    ...place,
    limit,
    descending: false,
  });
  return selection.descending ? rows.reverse() : rows;
}

/** The place behind `offset` certificates in the order of addition. */
async function seekAdded(
  ctx: RequestContext,
  kinds: readonly number[],
  offset: number,
): Promise<{ after: After; skip: number }> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const { from, skip } = await counterOf(kinds).seekOldest(reader, org_id, offset);
  const position = Number(from.padEnd(positionKey(0).length, "0")) - 1;
  return { after: { key: position, position }, skip };
}

/** The counter over the lists of some kinds; there are nine such sets. */
const counterOf = variants((kinds: readonly number[]) => listCounter(kinds.map(listOf)));
