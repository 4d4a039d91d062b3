import { setImmediate } from "node:timers/promises";
import type { ServiceContext } from "../context.ts";
import {
  countGathered,
  foundCertificates,
  gatheredCertificates,
  searchedCertificates,
  sievedCertificates,
} from "./certificate-list.store.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import { type After, mustGather, type Selection, start } from "./selection.ts";

/** Matches that are sorted, or searched for a page: so many, and no more. */
export const GATHERED = 1000;
/** Characters of a chunk, about; and rows, before their size is known and at the most. */
const CHUNK_LENGTH = 64 * 1024;
const FIRST_ROWS = 8;
const MOST_ROWS = 256;

/**
 * Every certificate of a selection in chunks and in the order asked for. Each chunk is a statement of its own: no
 * snapshot stays open while a slow client reads, and one who stalls holds about one chunk's length, however
 * large certificates are. Where more than GATHERED match that are found in another order, the list is read
 * through in the order asked for; other requests are served meanwhile.
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
  if (selection.order !== selection.found) yield* sieved(ctx, org_id, selection, columns);
  else if (selection.search !== null) yield* searched(ctx, org_id, selection, columns);
  else yield* walked(ctx, org_id, selection, columns);
}

async function* walked(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
): AsyncGenerator<ListedRow[], void, void> {
  const { descending, found: order } = selection;
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
  let after: number | undefined = start(selection, selection.descending).position;
  let gather = FIRST_ROWS;
  while (after !== undefined) {
    const page: { after: number; gather: number } = { after, gather };
    const { rows, last }: { rows: ListedRow[]; last: number | undefined } =
      await searchedCertificates(ctx.storage.reader, org_id, selection, columns, page);
    if (rows.length > 0) yield rows;
    else await setImmediate();
    after = last;
    gather = nextLimit(rows);
  }
}

async function* sieved(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
): AsyncGenerator<ListedRow[], void, void> {
  const { order, descending } = selection;
  let after: After | undefined = start({ found: order, times: null }, descending);
  let window = FIRST_ROWS;
  while (after !== undefined) {
    const page: { after: After; window: number } = { after, window };
    const { rows, last }: { rows: ListedRow[]; last: After | undefined } = await sievedCertificates(
      ctx.storage.reader,
      org_id,
      selection,
      columns,
      page,
    );
    if (rows.length > 0) yield rows;
    // The engine may have answered at once: the calls that arrived meanwhile come first.
    else await setImmediate();
    after = last;
    window = rows.length > 0 ? nextLimit(rows) : MOST_ROWS;
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
