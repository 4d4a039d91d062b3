import type { SqlValue, Statement } from "../statement.ts";
import { isBusy, SqliteConnection } from "./sqlite-connection.ts";
import {
  LITESTREAM_TABLES,
  StoreInUse,
  type StoreSession,
  type TableShape,
} from "./store-session.ts";

/** Opens an SQLite file, which is made where there is none. */
export function openSqliteSession(path: string): StoreSession {
  const connection = SqliteConnection.openWriter(path);
  return {
    dialect: "sqlite",
    rows: (s, p) => connection.rows(s, p),
    row: (s, p) => connection.row(s, p),
    change: (s, p) => connection.change(s, p),
    tables: () => tablesOf(connection),
    hasTable: async (name) =>
      (await connection.rows(tablesSql, {})).some((one) => one.name === name),
    schemas: () => Promise.resolve({ here: "main", others: [] }),
    inSchema: (_, work) => work(),
    // deno-lint-ignore require-await -- the port is asynchronous, this engine is not
    exec: async (text) => connection.exec(text),
    insertRows: async (table, rows) => {
      const insert = insertInto(table);
      for (const row of rows) await connection.change(insert, { row });
    },
    lockAlone: async () => {
      if (!lockSqlite(connection)) throw new StoreInUse();
      return await Promise.resolve();
    },
    close: () => Promise.resolve(connection.close()),
  };
}

/**
 * Keeps every other connection out of the file until this one is closed: every process that has it
 * open holds a shared lock on it, which exclusive mode does not suffer. False, and nothing done,
 * where there is one and it does not go within `patienceMs`.
 */
export function lockSqlite(connection: SqliteConnection, patienceMs = 500): boolean {
  connection.setLockTimeout(patienceMs);
  try {
    connection.exec("pragma locking_mode=exclusive");
    connection.exec("begin exclusive; commit");
    return true;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return false;
  }
}

const tablesSql: Statement<Record<never, never>, { name: string; sql: string }> = {
  compile: () => ({
    // The tables behind a virtual one carry its name in front of theirs.
    sql: `select m.name, m.sql from sqlite_master m where m.type = 'table'
      and m.name not like 'sqlite\\_%' escape '\\' and m.sql not like 'create virtual%'
      and not exists (select 1 from sqlite_master v where v.type = 'table'
        and v.sql like 'create virtual%' and substr(m.name, 1, length(v.name) + 1) = v.name || '_')
      order by m.name`,
    values: () => [],
  }),
};

const columnsSql: Statement<{ table: string }, { name: string; type: string; pk: number }> = {
  compile: () => ({
    sql: "select name, type, pk from pragma_table_info(?) order by cid",
    values: (p) => ["table" in p ? String(p.table) : ""],
  }),
};

async function tablesOf(connection: SqliteConnection): Promise<TableShape[]> {
  const shapes: TableShape[] = [];
  for (const { name } of await connection.rows(tablesSql, {})) {
    if (name.startsWith(LITESTREAM_TABLES)) continue;
    const columns = await connection.rows(columnsSql, { table: name });
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    shapes.push({
      name,
      columns: columns.map((column) => ({
        name: column.name,
        type: column.type.toLowerCase() === "integer" ? "integer" : "text",
      })),
      key: key.map((column) => column.name),
    });
  }
  return shapes;
}

const inserts = new WeakMap<TableShape, Statement<{ row: readonly SqlValue[] }, unknown>>();

function insertInto(table: TableShape): Statement<{ row: readonly SqlValue[] }, unknown> {
  let made = inserts.get(table);
  if (!made) {
    const names = table.columns.map(({ name }) => `"${name}"`).join(", ");
    const sql = `insert into "${table.name}" (${names}) values (${
      table.columns.map(() => "?").join(", ")
    })`;
    // as: `change` hands on what insertRows gave it.
    made = { compile: () => ({ sql, values: (p) => [...(p as { row: SqlValue[] }).row] }) };
    inserts.set(table, made);
  }
  return made;
}
