import { Answer, type Pieces } from "./answer.ts";
import { TimeSlices } from "./time-slices.ts";

/** A list that can be read page by page or whole. */
export interface ListSource<Row> {
  /** Up to `limit` rows after leaving out `offset` of them, and how many there are in all. */
  page(offset: number, limit: number): Promise<{ rows: Row[]; total: number }>;
  /** Up to `limit` rows that come after this one; from the first without it. */
  after(last: Row | undefined, limit: number): Promise<Row[]>;
  /** A row as JSON text. */
  serialize(row: Row): string;
}

/** Rows read at once while everything is streamed. */
const CHUNK = 64;

/**
 * `{"Data":[…],"Pages":n}`: page `p` from 1; absent or below 1 everything, streamed so that memory
 * stays flat.
 */
export async function pagedList<Row>(
  source: ListSource<Row>,
  p: number | undefined,
  pageSize: number,
): Promise<Answer<string | Pieces>> {
  if (p !== undefined && p >= 1) {
    const { rows, total } = await source.page((p - 1) * pageSize, pageSize);
    const written = rows.map((row) => source.serialize(row)).join(",");
    return new Answer(`{"Data":[${written}],"Pages":${Math.ceil(total / pageSize)}}`);
  }
  const first = await source.after(undefined, CHUNK);
  if (first.length === CHUNK) return new Answer(pieces(source, first));
  const written = first.map((row) => source.serialize(row)).join(",");
  return new Answer(`{"Data":[${written}],"Pages":${first.length === 0 ? 0 : 1}}`);
}

/** Each chunk is a statement of its own: no snapshot stays open while a slow client reads. */
async function* pieces<Row>(source: ListSource<Row>, first: Row[]) {
  let rows = first;
  let before = `{"Data":[`;
  while (true) {
    const last = rows.at(-1);
    if (last === undefined) break;
    yield before + rows.map((row) => source.serialize(row)).join(",");
    before = ",";
    if (rows.length < CHUNK) break;
    rows = await source.after(last, CHUNK);
  }
  yield `],"Pages":1}`;
}

/**
 * The list of the rows that `wanted` keeps, which no index serves. A page looks at the first
 * `mostLooked` rows and counts those; everything is looked at to the end. `after` gives fewer rows
 * than the limit only at the end.
 */
export function filtered<Row>(
  after: ListSource<Row>["after"],
  wanted: (row: Row) => boolean,
  mostLooked: number,
  serialize: (row: Row) => string,
): ListSource<Row> {
  return {
    serialize,
    page: async (offset, limit) => {
      const rows: Row[] = [];
      let total = 0;
      let last: Row | undefined;
      const slices = new TimeSlices();
      for (let looked = 0; looked < mostLooked; looked += CHUNK) {
        const chunk = await after(last, CHUNK);
        for (const row of chunk.filter(wanted)) {
          if (total >= offset && rows.length < limit) rows.push(row);
          total++;
        }
        last = chunk.at(-1);
        if (chunk.length < CHUNK) break;
        // The engine may have answered at once: the calls that arrived meanwhile come first.
        await slices.next();
      }
      return { rows, total };
    },
    after: async (from, limit) => {
      const rows: Row[] = [];
      let last = from;
      const slices = new TimeSlices();
      while (rows.length < limit) {
        const chunk = await after(last, CHUNK);
        for (const row of chunk) {
          last = row;
          if (wanted(row) && rows.push(row) === limit) break;
        }
        if (chunk.length < CHUNK && (last === chunk.at(-1) || chunk.length === 0)) break;
        await slices.next();
      }
      return rows;
    },
  };
}
