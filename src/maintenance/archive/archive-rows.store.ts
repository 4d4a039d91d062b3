import { sql } from "kysely";
import { checkedColumns, type CheckedTable } from "../../changes/checked-rows.ts";
import { declared } from "../../storage/rows.ts";
import { type SqlValue, statement } from "../../storage/statement.ts";
import { change } from "../../storage/statement-functions.ts";
import { updates } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { type ArchiveRow, type ArchiveTable, shapeOf } from "./archive-tables.ts";

type Params = Record<string, SqlValue>;

/** A row as its table has it. */
export type StoredRow = Record<string, SqlValue>;

/**
 * Up to `limit` rows of an organisation behind a place in the table's order; sealed columns as they
 * are. With what of the key does not travel.
 */
export async function archiveRowsBehind(
  db: Connection,
  org_id: string,
  table: ArchiveTable,
  behind: readonly SqlValue[] | null,
  limit: number,
): Promise<StoredRow[]> {
  const place = (behind ?? []).map((value, i) => [`k${i}`, value] as const);
  const params = { org_id, ...Object.fromEntries(place) };
  const rows = await db.rows(pageOf(table, behind !== null, limit), params);
  const integers = namesOf(table).filter((name) => declared(table, name).type === "integer");
  // Integers come back as texts from one of the engines.
  for (const row of rows) {
    for (const name of integers) row[name] = row[name] === null ? null : Number(row[name]);
  }
  return rows;
}

/** Whether the rows of a table carry a checksum. */
export function isChecked(table: ArchiveTable): table is ArchiveTable & CheckedTable {
  return Object.hasOwn(checkedColumns, table);
}

function namesOf(table: ArchiveTable): string[] {
  const { key, columns } = shapeOf(table);
  return [...new Set([...columns, ...key, ...isChecked(table) ? ["checksum"] : []])];
}

const pageOf = variants((table: ArchiveTable, hasPlace: boolean, limit: number) =>
  statement<Params>()<StoredRow>((db, p) => ({
    compile: () => {
      const { scope, key, only } = shapeOf(table);
      const columns = namesOf(table).map((name) => sql.ref(name));
      const order = key.map((name) => sql.ref(name));
      const place = key.map((_, i) => sql`${p[`k${i}`]}`);
      const chosen = only ? sql`and ${sql.ref(only[0])} = ${sql.lit(only[1])}` : sql``;
      const behind = hasPlace ? sql`and (${sql.join(order)}) > (${sql.join(place)})` : sql``;
      const sorted = key.length > 0 ? sql`order by ${sql.join(order)}` : sql``;
      return sql<StoredRow>`select ${sql.join(columns)} from ${sql.table(table)}
        where ${sql.ref(scope)} = ${p.org_id} ${chosen} ${behind} ${sorted}
        limit ${sql.lit(limit)}`.compile(db);
    },
  }))
);

/** The texts of a JSON array as a sub-query. */
function each(texts: unknown, dialect: "postgres" | "sqlite") {
  return dialect === "postgres"
    ? sql<string>`(select w.value from json_array_elements_text(${texts}::json) as w)`
    : sql<string>`(select w.value from json_each(${texts}) as w)`;
}

const ofColumn = variants((table: ArchiveTable, column: string) =>
  statement<Params>()<StoredRow>((db, p, dialect) => ({
    compile: () => {
      const columns = namesOf(table).map((name) => sql.ref(name));
      return sql<StoredRow>`select ${sql.join(columns)} from ${sql.table(table)}
        where org_id = ${p.org_id} and ${sql.ref(column)} in ${each(p.values, dialect)}`
        .compile(db);
    },
  }))
);

/** A table's rows with one of these values in a column that leads an index of the organisation. */
export function archiveRowsOf(
  db: Connection,
  org_id: string,
  { table, column, values }: {
    table: "certificate_files" | "credentials" | "developers" | "quota_uses";
    column: "fingerprint" | "key_id" | "id";
    values: readonly string[];
  },
): Promise<StoredRow[]> {
  return db.rows(ofColumn(table, column), { org_id, values: JSON.stringify(values) });
}

const isThereSql = variants((table: ArchiveTable) =>
  statement<Params>()<{ n: number }>((db, p) => ({
    compile: () => {
      const { scope } = shapeOf(table);
      const same = identityOf(table).map((name, i) => sql`and ${sql.ref(name)} = ${p[`k${i}`]}`);
      return sql<{ n: number }>`select 1 as n from ${sql.table(table)}
        where ${sql.ref(scope)} = ${p.org_id} ${sql.join(same, sql` `)} limit 1`.compile(db);
    },
  }))
);

/** The columns that name a row within its organisation. */
export function identityOf(table: ArchiveTable): string[] {
  if (table === "certificates") return ["fingerprint"];
  return shapeOf(table).key;
}

/** Whether a row of this identity is in the table. */
export async function isThere(
  db: Connection,
  org_id: string,
  table: ArchiveTable,
  identity: readonly SqlValue[],
): Promise<boolean> {
  const place = Object.fromEntries(identity.map((value, i) => [`k${i}`, value]));
  return await db.row(isThereSql(table), { org_id, ...place }) !== undefined;
}

const insertOf = variants((table: ArchiveTable, names: readonly string[]) =>
  statement<Params>()<unknown>((db, p) => ({
    compile: () => {
      const columns = names.map((name) => sql.ref(name));
      const values = names.map((name) => sql`${p[name]}`);
      return sql`insert into ${sql.table(table)} (${sql.join(columns)})
        values (${sql.join(values)}) on conflict do nothing`.compile(db);
    },
  }))
);

/**
 * Adds a row with what of it does not travel. False where one of its identity, or of a unique
 * column, is there.
 */
export async function insertRow(
  tx: Tx,
  org_id: string,
  table: ArchiveTable,
  row: ArchiveRow,
): Promise<boolean> {
  const whole = { org_id, ...row };
  return await tx.change(insertOf(table, Object.keys(whole).sort()), whole) === 1;
}

/** Sets the organisation's name. */
export const renameOrganisation = change((db, p: { org_id: string; name: string }) =>
  db.updateTable("organisations").set({ name: p.name }).where("id", "=", p.org_id)
);

/** Sets owner and tags of a certificate as they are stored. */
export const setStoredCare = change(updates("certificates", "owner", "tags"));
