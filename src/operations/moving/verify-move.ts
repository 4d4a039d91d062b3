import { createHash } from "node:crypto";
import type { TableShape } from "../../storage/engines/store-session.ts";
import type { Connection } from "../../storage/storage.ts";
import { chunksOf } from "./table-stream.ts";
import type { Row } from "./translation.ts";

/** What a table holds: how many rows, and the SHA-256 of all of them in the order of their keys. */
export interface Digest {
  rows: number;
  sha256: string;
}

/** The digest of a table, of the columns named, as `translate` shows its rows; those that it leaves out don't count. */
export async function digestOf(
  db: Connection,
  table: TableShape,
  columns: readonly string[],
  translate: (row: Row) => Row | undefined,
  onRows: (n: number) => void,
): Promise<Digest> {
  const hash = createHash("sha256");
  let rows = 0;
  for await (const chunk of chunksOf(db, table, null)) {
    const lines: string[] = [];
    for (const row of chunk.rows) {
      const shown = translate(row);
      if (shown) lines.push(`${JSON.stringify(columns.map((name) => shown[name]))}\n`);
    }
    hash.update(lines.join(""));
    rows += lines.length;
    onRows(chunk.rows.length);
  }
  return { rows, sha256: hash.digest("hex") };
}
