import type { StoreSession } from "./engines/store-session.ts";
import { type AppliedStep, appliedSteps, migrate, versionTableSql } from "./migrate.ts";
import { migrations } from "./migrations/list.ts";
import type { Migration } from "./migrations/migration.ts";

/**
 * Brings a store's schema up to date, whole or not at all, under a lock that others who migrate
 * wait for. Gives what stood there before. `first` is done before the first step and `more` after
 * the last, in the same transaction. Throws as `migrate` does.
 */
export async function migrateSession(
  session: StoreSession,
  steps: readonly Migration[] = migrations,
  more: () => Promise<void> = () => Promise.resolve(),
  first: () => Promise<void> = () => Promise.resolve(),
): Promise<AppliedStep[]> {
  const { dialect } = session;
  if (dialect === "postgres") await makeLock(session);
  await session.exec(dialect === "sqlite" ? "begin immediate" : "begin");
  try {
    if (dialect === "sqlite") await session.exec(versionTableSql(dialect));
    else await takeLock(session);
    await first();
    const before = await appliedSteps(session);
    await migrate(session, new Date().toISOString(), steps);
    await more();
    await session.exec("commit");
    return before;
  } catch (error) {
    await session.exec("rollback").catch(() => {});
    throw error;
  }
}

/**
 * The lock is a row: a table's lock or an advisory one is not to be had on every cluster that
 * speaks PostgreSQL. Made outside of the transaction, since anyone who comes second must find the
 * row to wait for.
 */
async function makeLock(session: StoreSession): Promise<void> {
  const texts = [
    "create table if not exists schema_lock (id bigint primary key)",
    "insert into schema_lock (id) values (1) on conflict do nothing",
    versionTableSql("postgres"),
  ];
  for (const text of texts) {
    // Two that create the same thing at once: one of them sees a unique violation and looks again.
    await session.exec(text).catch(() => session.exec(text));
  }
}

/** The row, and the lock of earlier releases; without it, these can't run either. */
async function takeLock(session: StoreSession): Promise<void> {
  await session.exec("select id from schema_lock where id = 1 for update");
  await session.exec("savepoint before_lock");
  try {
    await session.exec("lock table schema_versions in exclusive mode");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== FEATURE_NOT_SUPPORTED && code !== SYNTAX_ERROR) throw error;
    await session.exec("rollback to savepoint before_lock");
  }
}

const FEATURE_NOT_SUPPORTED = "0A000";
const SYNTAX_ERROR = "42601";

/** The steps that a store has had; none where it has no schema yet. Changes nothing. */
export async function stepsOf(session: StoreSession): Promise<AppliedStep[]> {
  return await session.hasTable("schema_versions") ? await appliedSteps(session) : [];
}

/** Runs `work` in one transaction of a session. */
export async function inOne<T>(session: StoreSession, work: () => Promise<T>): Promise<T> {
  await session.exec(session.dialect === "sqlite" ? "begin immediate" : "begin");
  try {
    const result = await work();
    await session.exec("commit");
    return result;
  } catch (error) {
    await session.exec("rollback").catch(() => {});
    throw error;
  }
}
