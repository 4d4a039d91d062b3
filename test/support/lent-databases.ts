/**
 * Databases of the shared PostgreSQL that one test after the other has: to empty the tables that a
 * test wrote to takes a third of what a new copy takes. A database is lent again only when the test
 * that had it has ended, no connection to it is left, and nothing but rows was changed: tables and
 * their statistics are as in a new copy.
 */
import pg from "pg";
import { createMigrated } from "./migrated-stores.ts";
import { MIGRATED, type PostgresServer, sharedPostgres } from "./postgres.ts";

/** A database that is a test's until it gives it back. */
export interface LentDatabase {
  readonly url: string;
  giveBack(): void;
}

/** Given back by the test that runs, which may open one again by its url. */
const given: string[] = [];
/** Given back by tests that have ended. */
const free: string[] = [];
let copied: Promise<Copied> | undefined;

/** Lends a migrated database without rows of tests. */
export async function lendDatabase(): Promise<LentDatabase> {
  const last = free.pop();
  const url = last !== undefined && await emptied(last) ? last : await createMigrated();
  return { url, giveBack: () => void given.push(url) };
}

/** To be called when a test has ended: databases that it gave back are lent again. */
export function freeDatabases(): void {
  free.push(...given.splice(0));
}

/** What is in a new copy of the migrated database. */
interface Copied {
  readonly shape: string;
  readonly statistics: string;
  /** Its rows as JSON, by the tables that have any. */
  readonly rows: Readonly<Record<string, string>>;
}

/** Makes a database as a new copy of the migrated one. Where that can't be, it is dropped. */
async function emptied(url: string): Promise<boolean> {
  const server = await sharedPostgres();
  const { shape, statistics, rows } = await (copied ??= readMigrated(server));
  const isEmptied = await within(url, async (client) => {
    const [now, kept] = await ask(client, [STATE, rowsOf(Object.keys(rows))]);
    if (now.connections > 1 || now.shape !== shape) return false;
    const changed = now.filled.filter((name: string) =>
      rows[name] === undefined || kept[name] !== rows[name]
    );
    const refilled = changed.flatMap((name: string) => {
      const before = rows[name];
      return before === undefined ? [] : [
        `insert into "${name}" select * from
          json_populate_recordset(null::"${name}", ${pg.escapeLiteral(before)})`,
      ];
    });
    const names = changed.map((name: string) => `"${name}"`);
    const truncate = names.length > 0 ? [`truncate ${names} restart identity cascade`] : [];
    const [after] = (await ask(client, [...truncate, ...refilled, STATISTICS])).slice(-1);
    return after.statistics === statistics;
  });
  if (!isEmptied) await server.dropDatabase(url);
  return isEmptied;
}

async function readMigrated(server: PostgresServer): Promise<Copied> {
  const url = new URL(server.url);
  url.pathname = MIGRATED;
  return await within(url.href, async (client) => {
    const [{ shape, filled }, { statistics }] = await ask(client, [STATE, STATISTICS]);
    const [rows] = await ask(client, [rowsOf(filled)]);
    return { shape, statistics, rows };
  });
}

/**
 * Who is connected, which tables have rows or had some, and what tables there are. The sizes are
 * those of files, since to tell a relation's PostgreSQL opens it.
 */
const STATE = `with db as (select oid from pg_database where datname = current_database())
  select pg_stat_get_db_numbackends(db.oid) as connections, filled,
    concat_ws(' ', relations, columns, (select count(*) from pg_constraint),
      (select count(*) from pg_trigger), (select max(oid) from pg_proc),
      (select count(*) from pg_namespace), (select count(*) from pg_db_role_setting)) as shape
  from db, lateral (
    select array_agg(relname::text) filter (where relkind = 'r'
        and (pg_stat_file('base/' || db.oid || '/' || relfilenode)).size > 0) as filled,
      concat_ws(' ', count(*), sum(oid::bigint), sum(hashtext(relname)), count(relacl),
        count(reloptions), count(*) filter (where relrowsecurity)) as relations
    from pg_class where oid >= 16384) as of_relations, (
    select concat_ws(' ', count(*), sum(atttypid::bigint), count(*) filter (where attisdropped))
      as columns from pg_attribute where attrelid >= 16384) as of_columns`;

const STATISTICS = `select concat_ws(' ', sum(reltuples), sum(relpages),
    (select count(*) from pg_statistic)) as statistics
  from pg_class where oid >= 16384 and relkind = 'r'`;

const rowsOf = (names: readonly string[]) =>
  `select ${
    names.map((name) => `(select json_agg(t order by t::text)::text from "${name}" t) as "${name}"`)
  }`;

/** The first row of each of these statements, sent together. */
async function ask(client: pg.Client, texts: readonly string[]) {
  // as: of several statements the driver gives a result each.
  const results = await client.query(texts.join(";")) as pg.QueryResult | pg.QueryResult[];
  return [results].flat().map(({ rows: [row] }) => row);
}

async function within<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
