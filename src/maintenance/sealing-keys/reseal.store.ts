import { sql } from "kysely";
import {
  columnsOf,
  declared,
  keysOf,
  type Marked,
  type TableName,
  tableNames,
} from "../../storage/rows.ts";
import type { tables } from "../../storage/schema.ts";
import { statement } from "../../storage/statement.ts";
import type { Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

type Tables = typeof tables;

/** A table with a column that is sealed. */
export type SealedTable = {
  [T in TableName]: Marked<Tables[T], { readonly isSealed: true }> extends never ? never : T;
}[TableName];

/** Every such table, in the order in which they are re-sealed. */
export const sealedTables = [...tableNames].sort().filter(isSealedTable);

/** Whether a table has such a column. */
export function isSealedTable(table: TableName): table is SealedTable {
  return columnsOf(table).some((name) => declared(table, name).isSealed);
}

/**
 * The column whose texts are sealed with the server's keys, and open with them, and the column that
 * names a row in its place.
 */
export const sealedColumn = variants((table: SealedTable) => {
  const id = keysOf(table).at(-1);
  const column = columnsOf(table).find((name) => declared(table, name).isSealed);
  if (id === undefined || column === undefined) throw new TypeError(`${table}: nothing is sealed`);
  return { id: String(id), column: String(column) };
});

/** The row behind which a walk goes on; empty at its start. */
export interface ResealPlace {
  org_id: string;
  id: string;
}

type PageParams = { org_id: string; id: string; limit: number };
type SealedRow = { org_id: string; id: string; sealed: string | null };
type SetParams = { org_id: string; id: string; before: string; after: string | null };

/** Up to `limit` rows of a table behind a place, in the order of its key. */
export function rowsBehind(
  tx: Tx,
  table: SealedTable,
  place: ResealPlace,
  limit: number,
): Promise<SealedRow[]> {
  return tx.rows(pageOf(table), { ...place, limit });
}

/** Replaces a sealed text by another, or by none. False where it was changed meanwhile. */
export async function replaceSealed(
  tx: Tx,
  table: SealedTable,
  row: SetParams,
): Promise<boolean> {
  return await tx.change(setOf(table), row) === 1;
}

const pageOf = variants((table: SealedTable) => {
  const { id, column } = sealedColumn(table);
  return statement<PageParams>()<SealedRow>((db, p) => ({
    compile: () =>
      sql<SealedRow>`select org_id, ${sql.ref(id)} as id, ${sql.ref(column)} as sealed
        from ${sql.table(table)} where (org_id, ${sql.ref(id)}) > (${p.org_id}, ${p.id})
        order by org_id, ${sql.ref(id)} limit ${p.limit}`.compile(db),
  }));
});

const setOf = variants((table: SealedTable) => {
  const { id, column } = sealedColumn(table);
  return statement<SetParams>()<unknown>((db, p) => ({
    compile: () =>
      sql`update ${sql.table(table)} set ${sql.ref(column)} = ${p.after}
        where org_id = ${p.org_id} and ${sql.ref(id)} = ${p.id} and ${
        sql.ref(column)
      } = ${p.before}`
        .compile(db),
  }));
});
