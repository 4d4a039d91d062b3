import type { RequestContext } from "../context.ts";
import { type ListCounter, listCounter } from "../storage/list-counts.ts";
import { listOf } from "./certificate-entry.ts";
import { seekSorted } from "./certificate-blocks.store.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import {
  countFound,
  countGathered,
  foundCertificates,
  gatheredCertificates,
} from "./certificate-list.store.ts";
import { GATHERED } from "./certificate-stream.ts";
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
    const { n, looked, first } = await countGathered(reader, org_id, selection, GATHERED + 1);
    const capped = looked > GATHERED;
    const total = Math.min(n, GATHERED);
    // Found in the order asked for, and nothing among it that is not wanted: no more than the page is gathered.
    const isFound = selection.times === null && selection.order === selection.found && n === looked;
    // A single match is known already: the index of texts need not be gone through once more.
    if (isFound && looked === 1 && first !== undefined && offset === 0) {
      const it = { ...selection, search: null, descending: false };
      const after = { key: first - 1, position: first - 1 };
      const at = { after, skip: 0, limit: 1, descending: false };
      return { rows: await foundCertificates(reader, org_id, it, columns, at), total, capped };
    }
    const window = {
      gather: isFound ? Math.min(GATHERED, offset + limit) : GATHERED,
      skip: offset,
      limit: Math.min(limit, total - offset),
    };
    const rows = offset >= total
      ? []
      : await gatheredCertificates(reader, org_id, selection, columns, window);
    return { rows, total, capped };
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

const counters = new Map<string, ListCounter>();

/** The counter over the lists of some kinds; there are nine such sets. */
function counterOf(kinds: readonly number[]): ListCounter {
  const name = kinds.join();
  const counter = counters.get(name) ?? listCounter(kinds.map(listOf));
  counters.set(name, counter);
  return counter;
}
