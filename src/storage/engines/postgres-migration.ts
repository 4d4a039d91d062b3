import pg from "pg";
import { checkSchema, migrate, type MigrationConnection, versionTableSql } from "../migrate.ts";
import { openSession } from "./postgres-client.ts";
import type { PostgresLimits } from "./postgres-limits.ts";
import { connectionOn } from "./postgres-connection.ts";
import { codeOf, isConnectionLoss } from "./postgres-errors.ts";
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
  for (let attempt = 1;; attempt++) {
    const client = await openSession(target, limits.connectMs);
    try {
      return await (only === "check" ? checkSchema(onClient(client)) : migrateUnderLock(client));
    } catch (error) {
      // It is done whole or not at all, and a second time it finds nothing to do.
      if (!isConnectionLoss(error) || attempt === ATTEMPTS) throw error;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** A start rides out that many lost connections; servers that are away are its supervisor's matter. */
const ATTEMPTS = 3;

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
    await lockTable(client);
    await migrate(onClient(client), new Date().toISOString());
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** For earlier releases, which know this lock alone; where there is none, they can't run either. */
async function lockTable(client: pg.Client): Promise<void> {
  await client.query("savepoint before_lock");
  try {
    await client.query("lock table schema_versions in exclusive mode");
  } catch (error) {
    if (!NOT_SUPPORTED.includes(codeOf(error))) throw error;
    await client.query("rollback to savepoint before_lock");
  }
}

/** feature_not_supported, syntax_error. */
const NOT_SUPPORTED = ["0A000", "42601"];

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
