import { sql } from "kysely";
import { checkedColumns, type CheckedRow, type CheckedTable } from "../../changes/checked-rows.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";

/** Every table whose rows have checksums, in the order in which they are gone through. */
export const checkedTables: readonly CheckedTable[] = ["access_tokens", "credentials", "users"];

/** The column that names a row within its organisation. */
const idColumns = {
  access_tokens: "id",
  credentials: "key_id",
  users: "id",
} as const satisfies Record<CheckedTable, string>;

/** The row behind which a walk goes on; empty at its start. */
export interface RowPlace {
  org_id: string;
  id: string;
}

/** A row of one of the tables: what its checksum is made of, and the checksum. */
export type AnyCheckedRow = CheckedRow<CheckedTable> & { org_id: string };

/** Up to `limit` rows of a table behind a place, in the order of its key. */
export function checkedRowsBehind(
  db: Connection,
  table: CheckedTable,
  place: RowPlace,
  limit: number,
): Promise<AnyCheckedRow[]> {
  return db.rows(pageSql[table], { ...place, limit });
}

/** One row, held until the transaction ends; or undefined. */
export function lockCheckedRow(
  tx: Tx,
  table: CheckedTable,
  place: RowPlace,
): Promise<AnyCheckedRow | undefined> {
  return tx.row(lockSql[table], { ...place });
}

/** Gives a row, which the transaction holds, its checksum. */
export async function setChecksum(
  tx: Tx,
  table: CheckedTable,
  row: RowPlace & { checksum: string },
): Promise<void> {
  await tx.change(setSql[table], { ...row });
}

/** The id of a row. */
export function idOf(table: CheckedTable, row: AnyCheckedRow): string {
  // as: every one of these columns is a text that is never null.
  return (row as Readonly<Record<string, string | null>>)[idColumns[table]] ?? "";
}

const perTable = <T>(make: (table: CheckedTable) => T): Record<CheckedTable, T> => ({
  access_tokens: make("access_tokens"),
  credentials: make("credentials"),
  users: make("users"),
});

const pageSql = perTable((table) => {
  const { columns, id } = partsOf(table);
  return statement<RowPlace & { limit: number }>()<AnyCheckedRow>((db, p) => ({
    compile: () =>
      sql<AnyCheckedRow>`select ${columns} from ${sql.table(table)}
        where (org_id, ${id}) > (${p.org_id}, ${p.id})
        order by org_id, ${id} limit ${p.limit}`.compile(db),
  }));
});

const lockSql = perTable((table) => {
  const { columns, id } = partsOf(table);
  return statement<{ org_id: string; id: string }>()<AnyCheckedRow>((db, p, dialect) => ({
    compile: () =>
      sql<AnyCheckedRow>`select ${columns} from ${sql.table(table)}
        where org_id = ${p.org_id} and ${id} = ${p.id}
        ${dialect === "postgres" ? sql`for update` : sql``}`.compile(db),
  }));
});

const setSql = perTable((table) => {
  const { id } = partsOf(table);
  return statement<{ org_id: string; id: string; checksum: string }>()<unknown>((db, p) => ({
    compile: () =>
      sql`update ${sql.table(table)} set checksum = ${p.checksum}
        where org_id = ${p.org_id} and ${id} = ${p.id}`.compile(db),
  }));
});

function partsOf(table: CheckedTable) {
  const names = [...checkedColumns[table], "checksum"];
  return {
    columns: sql.join(names.map((name) => sql.ref(name))),
    id: sql.ref(idColumns[table]),
  };
}
