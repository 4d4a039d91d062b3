import { Answer, fileHeaders, type Pieces } from "./answer.ts";
import { plainText } from "./plain-text.ts";

/** The value of a cell; null: empty. */
type Cell = string | number | boolean | null;

/** The cells of a table by the names of their columns, in their order. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

/** A page of a list, and where the next one starts; null: it is the last. */
interface Page<Row> {
  data: readonly Row[];
  next_cursor: string | null;
}

type PageAfter<Row> = (cursor?: string) => Promise<Page<Row>>;

/**
 * A list as a CSV file with a head line. The first page is read before there is an answer, so that
 * what the list refuses is a failure of the call; the others are made while it is sent. `pageAfter`
 * reads the page behind a cursor; undefined: the first page. Throws what `pageAfter` throws.
 */
export async function csvFile<Row>(
  fileName: string,
  columns: Columns<Row>,
  pageAfter: PageAfter<Row>,
): Promise<Answer<Pieces>> {
  const pieces = lines(columns, await pageAfter(), pageAfter);
  return new Answer(pieces, fileHeaders("text/csv; charset=utf-8", fileName));
}

async function* lines<Row>(
  columns: Columns<Row>,
  first: Page<Row>,
  pageAfter: PageAfter<Row>,
): Pieces {
  yield csvLine(Object.keys(columns));
  const cells = Object.values(columns);
  for (let { data, next_cursor } = first;;) {
    if (data.length > 0) yield data.map((row) => csvLine(cells.map((cell) => cell(row)))).join("");
    if (next_cursor === null) return;
    ({ data, next_cursor } = await pageAfter(next_cursor));
  }
}

/**
 * The file with a mark. With `bom` a CSV file begins with a byte-order mark, without which
 * spreadsheets take its UTF-8 for the encoding of their own system; other files never do.
 */
export function marked(file: Answer<Pieces>, bom: boolean | undefined): Answer<Pieces> {
  if (!bom || !file.headers["content-type"]?.startsWith("text/csv")) return file;
  return new Answer(behindMark(file.body), file.headers, file.status);
}

async function* behindMark(pieces: Pieces): Pieces {
  try {
    yield "\ufeff";
    yield* pieces;
  } finally {
    await pieces.return();
  }
}

/** A line of cells. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map((cell) => csvCell(String(cell ?? ""))).join(",")}\r\n`;
}

/**
 * RFC 4180, without what does not show or turns the direction of what is beside it. A text that a
 * spreadsheet would run as a formula gets an apostrophe before it, also where it begins behind a
 * semicolon, a tab or a line break: where commas are decimal, spreadsheets divide cells there,
 * whatever is quoted.
 */
export function csvCell(written: string): string {
  const text = plainText(written);
  if (!/[=+\-@\t",\r\n＝＋－＠]/.test(text) || /^-?\d+$/.test(text)) return text;
  const safe = text.replaceAll(BEFORE_FORMULA, "'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const BEFORE_FORMULA = /^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/g;
