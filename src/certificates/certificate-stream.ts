import type { ServiceContext } from "../context.ts";
import {
  countGathered,
  foundCertificates,
  gatheredCertificates,
  searchedCertificates,
  start,
} from "./certificate-list.store.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import { mustGather, type Selection } from "./selection.ts";

/** Matches that are sorted, or searched for a page: so many, and no more. */
export const GATHERED = 1000;
/** Characters of a chunk, about; and rows, before their size is known and at the most. */
const CHUNK_LENGTH = 64 * 1024;
const FIRST_ROWS = 8;
const MOST_ROWS = 256;

/**
 * Every certificate of a selection in chunks, each a statement of its own: no snapshot stays open while a slow
 * client reads, and one who stalls holds about one chunk's length, however large certificates are. In the order asked for; where more than GATHERED match that would have to be sorted for it, in
 * the order in which they are found.
 */
export async function* everyCertificate(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
): AsyncGenerator<ListedRow[], void, void> {
  const { reader } = ctx.storage;
  if (mustGather(selection)) {
    const { looked } = await countGathered(reader, org_id, selection, GATHERED + 1);
    if (looked <= GATHERED) {
      let rows: ListedRow[] = [];
      for (let skip = 0; skip < looked; skip += rows.length) {
        const page = { gather: GATHERED, skip, limit: nextLimit(rows) };
        rows = await gatheredCertificates(reader, org_id, selection, columns, page);
        if (rows.length === 0) return;
        yield rows;
      }
      return;
    }
  }
  if (selection.search !== null) yield* searched(ctx, org_id, selection, columns);
  else yield* walked(ctx, org_id, selection, columns);
}

/** True where everything can't come in the order asked for. */
export async function isTooMuchToSort(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
): Promise<boolean> {
  if (selection.order === selection.found && !selection.descending) return false;
  if (!mustGather(selection)) return false;
  const { looked } = await countGathered(ctx.storage.reader, org_id, selection, GATHERED + 1);
  return looked > GATHERED;
}

async function* walked(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
): AsyncGenerator<ListedRow[], void, void> {
  // What can't be sorted comes as it is found.
  const descending = mustGather(selection) ? false : selection.descending;
  const order = selection.found;
  let after = start(selection, descending);
  let limit = FIRST_ROWS;
  while (true) {
    const rows = await foundCertificates(ctx.storage.reader, org_id, selection, columns, {
      after,
      skip: 0,
      limit,
      descending,
    });
    const last = rows.at(-1);
    if (last) {
      yield rows;
      after = { key: last[order], position: last.position };
    }
    if (rows.length < limit) return;
    limit = nextLimit(rows);
  }
}

async function* searched(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
): AsyncGenerator<ListedRow[], void, void> {
  let after: number | undefined = 0;
  let gather = FIRST_ROWS;
  while (after !== undefined) {
    const page: { after: number; gather: number } = { after, gather };
    const { rows, last }: { rows: ListedRow[]; last: number | undefined } =
      await searchedCertificates(ctx.storage.reader, org_id, selection, columns, page);
    if (rows.length > 0) yield rows;
    after = last;
    gather = nextLimit(rows);
  }
}

/** How many rows like these fill a chunk: a power of two, so that few statements are needed. */
function nextLimit(rows: readonly ListedRow[]): number {
  if (rows.length === 0) return FIRST_ROWS;
  const length = rows.reduce(
    (sum, { head, tail, details, certificate = "" }) =>
      sum + head.length + tail.length + details.length + certificate.length,
    0,
  );
  let limit = MOST_ROWS;
  while (limit > 1 && limit * length > CHUNK_LENGTH * rows.length) limit /= 2;
  return limit;
}
