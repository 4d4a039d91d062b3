import type pg from "pg";
import type { SqlValue, Statement } from "../statement.ts";
import { connectToWritable } from "./postgres-client.ts";
import { parsePostgresUrl } from "./postgres-url.ts";
import { StoreInUse, type StoreSession, type TableShape } from "./store-session.ts";

/** Apart from those of servers, which keep a store from being moved. */
const SESSION_NAME = "keydesk-session";

/** How long to wait for whoever writes at the moment. */
const LOCK_PATIENCE_MS = 5000;

/** How long a server may take to let us in, where nothing else is said. */
const CONNECT_MS = 5000;

/**
 * Opens one connection to the server of the URL that takes writes; its statements have no time
 * limit. Throws when none can be reached.
 */
export async function openPostgresSession(
  url: string,
  connectMs = CONNECT_MS,
): Promise<StoreSession> {
  const client = await connectToWritable(
    { ...parsePostgresUrl(url), applicationName: SESSION_NAME },
    connectMs,
  );
  const query = async <P extends object>(statement: Statement<P, unknown>, params: P) => {
    const compiled = statement.compile("postgres");
    return await client.query(compiled.sql, compiled.values(params));
  };
  return {
    dialect: "postgres",
    // as (both): the statement's builder typed the columns that it selects.
    rows: async <P extends object, R>(s: Statement<P, R>, p: P) => (await query(s, p)).rows as R[],
    row: async <P extends object, R>(s: Statement<P, R>, p: P) =>
      (await query(s, p)).rows[0] as R | undefined,
    change: async (s, p) => (await query(s, p)).rowCount ?? 0,
    tables: () => tablesOf(client),
    exec: async (text) => void await client.query(text),
    insertRows: async (table, rows) => {
      if (rows.length === 0) return;
      await client.query({
        name: `into ${table.name}`,
        text: insertText(table),
        values: table.columns.map((_, i) => rows.map((row: readonly SqlValue[]) => row[i] ?? null)),
      });
    },
    holdAlone: () => holdAlone(client),
    close: () => client.end(),
  };
}

async function tablesOf(client: pg.Client): Promise<TableShape[]> {
  const { rows } = await client.query<{ table: string; name: string; type: string; at: number }>(`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
      coalesce(array_position(i.indkey::int[], a.attnum::int), -1) as at
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relkind in ('r', 'p') order by c.relname collate "C", a.attnum`);
  const shapes: TableShape[] = [];
  for (const name of new Set(rows.map((row) => row.table))) {
    const columns = rows.filter((row) => row.table === name);
    const key = columns.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
    shapes.push({
      name,
      columns: columns.map((column) => ({
        name: column.name,
        type: column.type === "bigint" ? "integer" : "text",
      })),
      key: key.map((column) => column.name),
    });
  }
  return shapes;
}

/** A column's values as one parameter: the text stays the same however many rows there are. */
function insertText({ name, columns }: TableShape): string {
  const arrays = columns.map(({ type }, i) =>
    `$${i + 1}::${type === "text" ? "text" : "bigint"}[]`
  );
  const names = columns.map((column) => `"${column.name}"`).join(", ");
  return `insert into "${name}" (${names}) select * from unnest(${arrays.join(", ")})`;
}

/**
 * Locks every table against writers, and against a second holder, until the session ends, in a
 * transaction that stays open.
 */
async function holdAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select 1 from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'keydesk%' and application_name <> '${SESSION_NAME}'`);
  if (rows.length > 0) throw new StoreInUse();
  const tables = await tablesOf(client);
  const names = tables.map(({ name }) => `"${name}"`).join(", ");
  await client.query(`begin; set local lock_timeout = ${LOCK_PATIENCE_MS}`);
  try {
    await client.query(`lock table ${names} in share row exclusive mode`);
  } catch (error) {
    const state = error instanceof Error && "code" in error ? error.code : undefined;
    await client.query("rollback");
    if (state === "55P03") throw new StoreInUse();
    throw error;
  }
}
