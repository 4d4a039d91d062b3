import pg from "pg";
import type { SqlValue, Statement } from "../statement.ts";
import { connectToWritable, durably } from "./postgres-client.ts";
import { isDirect } from "./postgres-pooler.ts";
import { parsePostgresUrl } from "./postgres-url.ts";
import { StoreInUse, type StoreSession, type TableShape } from "./store-session.ts";

/** Apart from those of servers, which keep a store from being moved. */
const SESSION_NAME = "keydesk-session";

/** How long to wait for anyone who writes at the moment. */
const LOCK_PATIENCE_MS = 5000;

/** How long a server may take to let us in, where nothing else is said. */
const CONNECT_MS = 5000;

/**
 * Opens one connection to the server of the URL that takes writes; its statements have no time
 * limit. `readOnly`: those that stand in no transaction write nothing. Throws when no server can be
 * reached.
 */
export async function openPostgresSession(
  url: string,
  { connectMs = CONNECT_MS, readOnly = false }: { connectMs?: number; readOnly?: boolean } = {},
): Promise<StoreSession> {
  const target = { ...parsePostgresUrl(url), applicationName: SESSION_NAME };
  const { client } = await connectToWritable(target, { connectMs });
  const unlimited = await UnlimitedClient.on(client, readOnly);
  const query = async <P extends object>(statement: Statement<P, unknown>, params: P) => {
    const compiled = statement.compile("postgres");
    return await unlimited.query(compiled.sql, compiled.values(params));
  };
  return {
    dialect: "postgres",
    // as (both): the statement's builder typed the columns that it selects.
    rows: async <P extends object, R>(s: Statement<P, R>, p: P) => (await query(s, p)).rows as R[],
    row: async <P extends object, R>(s: Statement<P, R>, p: P) =>
      (await query(s, p)).rows[0] as R | undefined,
    change: async (s, p) => (await query(s, p)).rowCount ?? 0,
    tables: () => tablesOf(unlimited),
    hasTable: async (name) => (await unlimited.query(HAS_TABLE, [name])).rows.length > 0,
    schemas: () => schemasOf(unlimited),
    inSchema: async (schema, work) => {
      await unlimited.exec("begin read only");
      try {
        await unlimited.exec(`set local search_path = ${pg.escapeIdentifier(schema)}`);
        return await work();
      } finally {
        await unlimited.exec("rollback");
      }
    },
    exec: (text) => unlimited.exec(text),
    insertRows: async (table, rows) => {
      if (rows.length === 0) return;
      await unlimited.query(
        insertText(table),
        table.columns.map((_, i) => rows.map((row: readonly SqlValue[]) => row[i] ?? null)),
      );
    },
    lockAlone: () => lockAlone(unlimited),
    close: () => client.end(),
  };
}

/** Limits that a role or a server may set, of which these releases know some. */
const LIMITS = [
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "transaction_timeout",
];

/** No time limits, whatever the role or the server says, and commits that wait for the disk. */
const unlimitedSql = (span: "transaction" | "session") =>
  `select set_config(name, '0', ${span === "transaction"}) from pg_settings
    where name in (${LIMITS.map((name) => `'${name}'`).join(", ")}); select ${durably(span)}`;

/** A connection whose statements have no time limit, in transactions and outside of them. */
class UnlimitedClient {
  readonly #client: pg.Client;
  /** How each transaction begins; undefined: the session says it all. */
  readonly #begin: { own: string; mode: string } | undefined;
  #isInTransaction = false;

  private constructor(client: pg.Client, begin?: { own: string; mode: string }) {
    this.#client = client;
    this.#begin = begin;
  }

  /**
   * `readOnly`: statements outside of a transaction of the caller's write nothing. Behind a pooler
   * each transaction says so, since the next one may have another session.
   */
  static async on(client: pg.Client, readOnly: boolean): Promise<UnlimitedClient> {
    if (!await isDirect(client)) {
      const own = unlimitedSql("transaction");
      return new UnlimitedClient(client, { own, mode: readOnly ? "begin read only" : "begin" });
    }
    await client.query(unlimitedSql("session"));
    if (readOnly) await client.query("set default_transaction_read_only = on");
    return new UnlimitedClient(client);
  }

  /** Runs SQL without parameters or rows. `begin …`, `commit` and `rollback` stand alone. */
  async exec(text: string): Promise<void> {
    if (/^begin\b/i.test(text)) {
      await this.#client.query(this.#begin ? `${text}; ${this.#begin.own}` : text);
      this.#isInTransaction = true;
      return;
    }
    if (/^(commit|rollback)$/i.test(text)) {
      this.#isInTransaction = false;
      return void await this.#client.query(text);
    }
    await this.query(text);
  }

  /** One statement with its rows. */
  async query<R extends pg.QueryResultRow>(
    text: string,
    values?: unknown[],
  ): Promise<pg.QueryResult<R>> {
    const ask = () => this.#client.query<R>(text, values);
    if (this.#isInTransaction || !this.#begin) return await ask();
    // Sent together, so that no other statement of this connection comes between.
    const [, answer, end] = await Promise.allSettled([
      this.#client.query(`${this.#begin.mode}; ${this.#begin.own}`),
      ask(),
      this.#client.query("commit"),
    ]);
    if (answer.status === "rejected") throw answer.reason;
    if (end.status === "rejected") throw end.reason;
    return answer.value;
  }
}

const HAS_TABLE = `select 1 from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
  where c.relname = $1 and c.relkind in ('r', 'p')`;

async function tablesOf(client: UnlimitedClient): Promise<TableShape[]> {
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

async function schemasOf(client: UnlimitedClient) {
  const { rows } = await client.query<{ here: string | null; name: string | null }>(`
    select current_schema() as here, n.nspname as name
    from (select 1) as one
    left join (pg_class c join pg_namespace n on n.oid = c.relnamespace)
      on c.relname = 'schema_versions' and c.relkind in ('r', 'p')
      and n.nspname is distinct from current_schema()
    order by n.nspname collate "C"`);
  return {
    here: rows[0]?.here ?? undefined,
    others: rows.flatMap(({ name }) => name ?? []),
  };
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
 * transaction that stays open. Throws StoreInUse.
 */
async function lockAlone(client: UnlimitedClient): Promise<void> {
  const tables = await tablesOf(client);
  const refuseUsers = async () => {
    const users = tables.some(({ name }) => name === "nodes")
      ? await livingNodes(client)
      : await connectionsOf(client);
    if (users.length > 0) throw new StoreInUse(users.join(", "));
  };
  // Before the lock, since waiting for it would stop the servers that write.
  await refuseUsers();
  const names = tables.map(({ name }) => `"${name}"`).join(", ");
  await client.exec("begin");
  try {
    await client.exec(`set local lock_timeout = ${LOCK_PATIENCE_MS}`);
    await client.exec(`lock table ${names} in share row exclusive mode`);
    // A server that started meanwhile has shown itself, or waits for the lock.
    await refuseUsers();
  } catch (error) {
    const state = error instanceof Error && "code" in error ? error.code : undefined;
    await client.exec("rollback");
    if (state === "55P03") throw new StoreInUse();
    throw error;
  }
}

/** A server that runs shows it every 5 seconds; one that was killed counts for so long. */
const LIVING_SECONDS = 15;

/**
 * The servers that show that they live, in words. Connections alone are no sign: a pooler keeps
 * them, with the names of programs that have ended.
 */
async function livingNodes(client: UnlimitedClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string; seconds: number }>(`
    select name, round(extract(epoch from clock_timestamp() - seen_at::timestamptz))::int as seconds
    from nodes where seen_at::timestamptz > clock_timestamp() - interval '${LIVING_SECONDS} seconds'
    order by name`);
  if (rows.length === 0) return [];
  const nodes = rows.map(({ name, seconds }) => `server ${name}, seen ${seconds} s ago`);
  return [...nodes, ...await connectionsOf(client)];
}

/** The connections of Keydesk's programs to this database, in words. */
async function connectionsOf(client: UnlimitedClient): Promise<string[]> {
  const { rows } = await client.query<{ pid: number; address: string; state: string }>(`
    select pid, coalesce(host(client_addr), 'a socket') as address, coalesce(state, '?') as state
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name like 'keydesk%' and application_name <> '${SESSION_NAME}'
    order by pid limit 20`);
  return rows.map(({ pid, address, state }) => `connection ${pid} from ${address}, ${state}`);
}
