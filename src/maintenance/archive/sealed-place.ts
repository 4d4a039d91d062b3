import type { SealedPlace } from "../../kernel/sealing/sealer.ts";
import { isSealedTable, sealedColumn } from "../sealing-keys/reseal.store.ts";
import type { DeskRow, DeskTable } from "./desk-tables.ts";

/** Where what a row has sealed is sealed for; undefined for a table without such a column. */
export function placeOfSealed(
  table: DeskTable,
  org_id: string,
  row: DeskRow,
): SealedPlace | undefined {
  if (!isSealedTable(table)) return undefined;
  const { id, column } = sealedColumn(table);
  return { table, org_id, id: String(row[id]), column };
}
