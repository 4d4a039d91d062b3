import pg from "pg";
import { checkSchema, migrate, type MigrationConnection, versionTableSql } from "../migrate.ts";
import { clientOptions, prepareSession, probe } from "./postgres-client.ts";
import type { PostgresLimits } from "./postgres-limits.ts";
import { connectionOn } from "./postgres-connection.ts";
import { parsePostgresUrl } from "./postgres-url.ts";

/**
 * Brings the schema up to date under a lock that others who start at the same time wait for, or, with `only:
 * "check"`, looks whether it is. As long as it takes: its statements have no time limit.
 */
export async function migratePostgres(
  url: string,
  limits: PostgresLimits,
  only?: "check",
): Promise<void> {
  const target = parsePostgresUrl(url);
  const optionsOf = await clientOptions(target, { connectMs: limits.connectMs });
  // The same choice as the server's own, made once.
  const server = await Promise.any(target.servers.map(async (one) => {
    await probe(optionsOf(one), limits.connectMs);
    return one;
  })).catch((error: AggregateError) => {
    throw target.servers.length === 1 ? error.errors[0] : error;
  });
  const client = new pg.Client(optionsOf(server));
  await client.connect();
  try {
    await prepareSession(client);
    if (only === "check") await checkSchema(onClient(client));
    else await migrateUnderLock(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * The lock is a row: a table's lock or an advisory one is not to be had on every cluster that speaks PostgreSQL.
 * The tables are made outside of the transaction, since whoever comes second must find the row to wait for.
 */
async function migrateUnderLock(client: pg.Client): Promise<void> {
  for (const text of LOCK_SQL) {
    // Two that create the same thing at once: one of them sees a unique violation and looks again.
    await client.query(text).catch(() => client.query(text));
  }
  await client.query("begin");
  try {
    await client.query("select id from schema_lock where id = 1 for update");
    await migrate(onClient(client), new Date().toISOString());
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

const LOCK_SQL = [
  "create table if not exists schema_lock (id bigint primary key)",
  "insert into schema_lock (id) values (1) on conflict do nothing",
  versionTableSql("postgres"),
];

function onClient(client: pg.Client): MigrationConnection {
  const nothing = () => {};
  // as: a migration uses nothing of a pooled connection but its queries.
  const lease = { client: client as unknown as pg.PoolClient };
  const connection = connectionOn({
    ...lease,
    asking: nothing,
    answered: nothing,
    release: nothing,
    discard: nothing,
  });
  return { ...connection, exec: async (text) => void await client.query(text) };
}
