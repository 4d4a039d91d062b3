import type { TableShape } from "../../storage/engines/store-session.ts";
import type { Connection } from "../../storage/storage.ts";
import { rowsBehind } from "./moving.store.ts";
import type { Row } from "./translation.ts";

/** A chunk of a table: its rows, and the key of the last one. */
interface Chunk {
  rows: Row[];
  behind: readonly (string | number)[];
  isLast: boolean;
}

/** Sizes of a chunk: few, since each is a statement of its own. */
const LIMITS = [16, 64, 256, 1024, 4096] as const;
/** Characters that a chunk should hold about: memory stays flat, however large rows are. */
const WANTED = 1_000_000;

/** A table's rows in the order of its key, behind `from`, in chunks of about a megabyte. */
export async function* chunksOf(
  db: Connection,
  table: TableShape,
  from: readonly (string | number)[] | null,
): AsyncGenerator<Chunk, void, void> {
  let behind = from;
  let step = 0;
  while (true) {
    const limit = LIMITS[step] ?? LIMITS[0];
    const rows = await rowsBehind(db, table, behind, limit);
    const last = rows.at(-1);
    // as: the columns of a primary key are never null.
    if (last) behind = table.key.map((name) => last[name] as string | number);
    const isLast = rows.length < limit;
    yield { rows, behind: behind ?? [], isLast };
    if (isLast) return;
    const size = rows.reduce((sum, row) => sum + sizeOf(row), 0);
    if (size > WANTED && step > 0) step--;
    else if (size < WANTED / 4 && step < LIMITS.length - 1) step++;
  }
}

function sizeOf(row: Row): number {
  let size = 0;
  for (const value of Object.values(row)) size += typeof value === "string" ? value.length : 8;
  return size;
}
