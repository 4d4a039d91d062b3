import type { ServiceContext } from "../../calls/context.ts";
import type { Place } from "../../kernel/cursor.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import type { Part } from "../../kernel/walk.ts";
import type { Columns, ListedRow } from "./certificate-keys.store.ts";
import { certificateSource, firstPlace } from "./certificate-source.ts";
import {
  canBeJoined,
  type Detail,
  joinedTexts,
  type Separator,
} from "./certificate-texts.store.ts";
import { type Selection, start } from "./selection.ts";
import { toBasics, toDetails } from "./stored-certificate.ts";

/**
 * Characters of a chunk, at the most where certificates are alike; rows before their size is known;
 * and at the most.
 */
const CHUNK_LENGTH = 96 * 1024;
const FIRST_ROWS = 8;
const MOST_ROWS = 256;
/** Ids have one size. As many fill a chunk. */
const MOST_IDS = 1024;

/**
 * Every certificate of a selection in chunks and in the order asked for. Each chunk is a statement
 * of its own: no snapshot stays open while a slow client reads, and one who stalls holds about one
 * chunk's length, however large certificates are. If more than GATHERED match a search, or are
 * found in another order, the list is read through in the requested order; other requests are
 * served meanwhile.
 */
export async function* everyCertificate(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  columns: Columns,
): AsyncGenerator<ListedRow[], void, void> {
  const source = await certificateSource(ctx, org_id, selection, columns, { whole: true });
  let limit = FIRST_ROWS;
  const slices = new TimeSlices();
  for (let place: Place | null = firstPlace(selection); place !== null;) {
    const part: Part<ListedRow> = await source(place, limit);
    const rows = part.rows.map(({ row }) => row);
    if (rows.length > 0) yield rows;
    // The engine may have answered at once: the calls that arrived meanwhile come first.
    else await slices.next();
    limit = rows.length > 0 ? nextLimit(rows) : MOST_ROWS;
    place = part.next;
  }
}

/** Certificates as they go out, with the separator between. */
interface Texts {
  text: string;
  /** The position of the last. */
  last: number;
}

/** How `everyText` writes certificates. */
interface Written {
  visible: Detail;
  separator: Separator;
  nowMs: number;
  /** Certificates added behind this position are left out. */
  until?: number | undefined;
}

/**
 * Every certificate of a selection as text, in chunks like those of `everyCertificate`. The engine
 * joins the texts where it can.
 */
export function everyText(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  how: Written,
): AsyncGenerator<Texts, void, void> {
  const every = canBeJoined(selection) ? everyJoined : everyView;
  return every(ctx, org_id, selection, how);
}

async function* everyJoined(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  how: Written,
): AsyncGenerator<Texts, void, void> {
  const { descending } = selection;
  const until = how.until ?? (descending ? 0 : Number.MAX_SAFE_INTEGER);
  const next = joinedTexts(ctx.storage.reader, org_id, selection, { ...how, until });
  const most = how.visible === "ids" ? MOST_IDS : MOST_ROWS;
  let after = start(selection, descending).position;
  let limit = how.visible === "ids" ? MOST_IDS : FIRST_ROWS;
  while (true) {
    const { n, last, text } = await next(after, limit);
    if (last === null || text === null) return;
    yield { text, last };
    if (n < limit) return;
    after = last;
    limit = rowsInChunk(text.length / n, most);
  }
}

async function* everyView(
  ctx: ServiceContext,
  org_id: string,
  selection: Selection,
  { visible, separator, nowMs, until }: Written,
): AsyncGenerator<Texts, void, void> {
  const columns = visible === "details" ? "details" : "basics";
  const textOf = textsOf(org_id, nowMs)[visible];
  for await (const rows of everyCertificate(ctx, org_id, selection, columns)) {
    const end = rows.findIndex(({ position }) => position === until) + 1;
    const wanted = end > 0 ? rows.slice(0, end) : rows;
    yield { text: wanted.map(textOf).join(separator), last: wanted.at(-1)?.position ?? 0 };
    if (end > 0) return;
  }
}

function textsOf(org_id: string, nowMs: number): Record<Detail, (row: ListedRow) => string> {
  return {
    ids: ({ fingerprint }) => `"${org_id}${fingerprint}"`,
    basics: toBasics,
    details: (row) => toDetails(row, nowMs),
  };
}

/** How many rows like these fill a chunk: a power of two, so that few statements are needed. */
function nextLimit(rows: readonly ListedRow[]): number {
  const length = rows.reduce(
    (sum, { head, tail, details, certificate = "" }) =>
      sum + head.length + tail.length + details.length + certificate.length,
    0,
  );
  return rowsInChunk(length / rows.length, MOST_ROWS);
}

function rowsInChunk(rowLength: number, most: number): number {
  let limit = most;
  while (limit > 1 && limit * rowLength > CHUNK_LENGTH) limit /= 2;
  return limit;
}
