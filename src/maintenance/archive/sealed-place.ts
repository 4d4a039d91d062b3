import type { SealedPlace } from "../../kernel/sealing/sealer.ts";
import { isSealedTable, sealedColumn } from "../sealing-keys/reseal.store.ts";
import type { ArchiveRow, ArchiveTable } from "./archive-tables.ts";

/** The sealing context of a row's sealed column; undefined for a table without such a column. */
export function placeOfSealed(
  table: ArchiveTable,
  org_id: string,
  row: ArchiveRow,
): SealedPlace | undefined {
  if (!isSealedTable(table)) return undefined;
  const { id, column } = sealedColumn(table);
  return { table, org_id, id: String(row[id]), column };
}
