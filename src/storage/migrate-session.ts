import type { StoreSession } from "./engines/store-session.ts";
import { type AppliedStep, appliedSteps, migrate, versionTableSql } from "./migrate.ts";
import { type Migration, migrations } from "./migrations/list.ts";

/**
 * Brings a store's schema up to date, whole or not at all, under a lock that others who migrate wait for. Gives what
 * stood there before. `more` is done in the same transaction. Throws SchemaTooNew like `migrate`.
 */
export async function migrateSession(
  session: StoreSession,
  steps: readonly Migration[] = migrations,
  more: () => Promise<void> = () => Promise.resolve(),
): Promise<AppliedStep[]> {
  const { dialect } = session;
  if (dialect === "postgres") {
    // Two that create the same table at once: one of them sees a unique violation and looks again.
    await session.exec(versionTableSql(dialect)).catch(() =>
      session.exec(versionTableSql(dialect))
    );
  }
  await session.exec(dialect === "sqlite" ? "begin immediate" : "begin");
  try {
    if (dialect === "sqlite") await session.exec(versionTableSql(dialect));
    else await session.exec("lock table schema_versions in exclusive mode");
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

/** The steps that a store has had; none where it has no schema yet. Changes nothing. */
export async function stepsOf(session: StoreSession): Promise<AppliedStep[]> {
  const tables = await session.tables();
  return tables.some(({ name }) => name === "schema_versions") ? await appliedSteps(session) : [];
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
