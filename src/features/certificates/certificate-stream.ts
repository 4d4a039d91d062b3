import { setImmediate } from "node:timers/promises";
import type { ServiceContext } from "../../calls/context.ts";
import type { Place } from "../../kernel/cursor.ts";
import type { Part } from "../../kernel/walk.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import { certificateSource, firstPlace } from "./certificate-source.ts";
import type { Selection } from "./selection.ts";

/** Characters of a chunk, about; and rows, before their size is known and at the most. */
const CHUNK_LENGTH = 64 * 1024;
const FIRST_ROWS = 8;
const MOST_ROWS = 256;

/**
 * Every certificate of a selection in chunks and in the order asked for. Each chunk is a statement of its own: no
 * snapshot stays open while a slow client reads, and one who stalls holds about one chunk's length, however
 * large certificates are. Where more than GATHERED match a search, or are found in another order, the list is read
 * through in the order asked for; other requests are served meanwhile.
 */
export async function* everyCertificate(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
): AsyncGenerator<ListedRow[], void, void> {
  const source = await certificateSource(ctx, org_id, selection, columns, { whole: true });
  let limit = FIRST_ROWS;
  for (let place: Place | null = firstPlace(selection); place !== null;) {
    const part: Part<ListedRow> = await source(place, limit);
    const rows = part.rows.map(({ row }) => row);
    if (rows.length > 0) yield rows;
    // The engine may have answered at once: the calls that arrived meanwhile come first.
    else await setImmediate();
    limit = rows.length > 0 ? nextLimit(rows) : MOST_ROWS;
    place = part.next;
  }
}

/** How many rows like these fill a chunk: a power of two, so that few statements are needed. */
function nextLimit(rows: readonly ListedRow[]): number {
  const length = rows.reduce(
    (sum, { head, tail, details, certificate = "" }) =>
      sum + head.length + tail.length + details.length + certificate.length,
    0,
  );
  let limit = MOST_ROWS;
  while (limit > 1 && limit * length > CHUNK_LENGTH * rows.length) limit /= 2;
  return limit;
}
