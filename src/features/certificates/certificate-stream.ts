import { setImmediate } from "node:timers/promises";
import type { ServiceContext } from "../../calls/context.ts";
import type { Place } from "../../kernel/cursor.ts";
import type { Part } from "../../kernel/walk.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import { certificateSource, firstPlace } from "./certificate-source.ts";
import { canBeJoined, joinedTexts, type Shown } from "./certificate-texts.store.ts";
import { type Selection, start } from "./selection.ts";
import { showBasics, showDetails } from "./stored-certificate.ts";

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

/** Certificates as they go out, with the separator between. */
export interface Texts {
  text: string;
  /** The position of the last. */
  last: number;
}

/**
 * Every certificate of a selection as text, in chunks like those of `everyCertificate`. The engine joins the texts
 * where it can. What was added behind the position `until` is left out.
 */
export async function* everyText(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  { shown, separator, nowMs, until }: {
    shown: Shown;
    separator: "," | "\n";
    nowMs: number;
    until?: number | undefined;
  },
): AsyncGenerator<Texts, void, void> {
  if (!canBeJoined(selection)) {
    const columns = shown === "details" ? "details" : "basics";
    const textOf = textsOf(org_id, nowMs)[shown];
    for await (const rows of everyCertificate(ctx, org_id, selection, columns)) {
      const end = rows.findIndex(({ position }) => position === until) + 1;
      const wanted = end > 0 ? rows.slice(0, end) : rows;
      yield { text: wanted.map(textOf).join(separator), last: wanted.at(-1)?.position ?? 0 };
      if (end > 0) return;
    }
    return;
  }
  const { descending } = selection;
  const end = until ?? (descending ? 0 : Number.MAX_SAFE_INTEGER);
  let after = start(selection, descending).position;
  let limit = FIRST_ROWS;
  while (true) {
    const joining = { shown, separator, limit };
    const place = { after, until: end, nowMs };
    const { n, last, text } = await joinedTexts(
      ctx.storage.reader,
      org_id,
      selection,
      joining,
      place,
    );
    if (last === null || text === null) return;
    yield { text, last };
    if (n < limit) return;
    after = last;
    limit = rowsInChunk(text.length / n);
  }
}

function textsOf(org_id: string, nowMs: number): Record<Shown, (row: ListedRow) => string> {
  return {
    ids: ({ fingerprint }) => `"${org_id}${fingerprint}"`,
    basics: showBasics,
    details: (row) => showDetails(row, nowMs),
  };
}

/** How many rows like these fill a chunk: a power of two, so that few statements are needed. */
function nextLimit(rows: readonly ListedRow[]): number {
  const length = rows.reduce(
    (sum, { head, tail, details, certificate = "" }) =>
      sum + head.length + tail.length + details.length + certificate.length,
    0,
  );
  return rowsInChunk(length / rows.length);
}

function rowsInChunk(rowLength: number): number {
  let limit = MOST_ROWS;
  while (limit > 1 && limit * rowLength > CHUNK_LENGTH) limit /= 2;
  return limit;
}
