import { type Migration, tableMaker } from "./migrations/migration.ts";
import { CHECKSUMS_DEMANDED, migrations as ourMigrations } from "./migrations/list.ts";
import { SchemaTooNew, SchemaTooOld } from "./schema-errors.ts";
import { builders, type Dialect, statement } from "./statement.ts";
import { all } from "./statement-functions.ts";
import type { Connection } from "./storage.ts";

/** The connection of a migration: it has the migration lock inside one transaction. */
interface MigrationConnection extends Connection {
  exec(sql: string): Promise<void>;
}

/** The store's record of one step of its schema. */
export interface AppliedStep {
  version: number;
  name: string;
  /** The newest step of the oldest code that this schema still serves. */
  oldest_code: number;
}

/** Above every step: a store with a row of this version is opened by no release at all. */
export const CLOSED_VERSION = 1_000_000_000;

/**
 * The words in front of the id of a move, in the name of that row: the store left, or it is not
 * whole yet.
 */
export const closedNames = { leaving: "moving to another place: ", arriving: "being copied: " };

/** The steps a store has had, in order. Throws the engine's error where it has no schema. */
export const appliedSteps = all((db) =>
  db.selectFrom("schema_versions").select(["version", "name", "oldest_code"]).orderBy("version")
);

/**
 * Throws SchemaTooNew where newer code has left this code behind, or where the store is closed, and
 * SchemaTooOld where the store never came as far as the first of our steps.
 */
export function refuseForeign(
  applied: readonly AppliedStep[],
  steps: readonly Migration[] = ourMigrations,
): void {
  const current = applied.at(-1);
  if (current?.version === CLOSED_VERSION) {
    throw new SchemaTooNew(
      current.name.startsWith(closedNames.arriving)
        ? "the store is the target of a `keydesk move-store` that has not ended; run it again to finish it"
        : "the store was moved, or is being moved, to another place; `keydesk move-store --reopen` opens it again",
    );
  }
  const [start] = steps;
  if (current && start && current.version < start.version) {
    throw new SchemaTooOld(
      `the store has schema ${current.version}; the oldest that this release opens is ${start.version}`,
    );
  }
  const ours = steps.at(-1)?.version ?? 0;
  if (current && current.oldest_code > ours) {
    throw new SchemaTooNew(
      `the store has schema ${current.version}, which needs code of schema ${current.oldest_code} or later; this is ${ours}`,
    );
  }
}

/** The steps that a store still lacks. */
export function missingSteps(
  applied: readonly AppliedStep[],
  steps: readonly Migration[] = ourMigrations,
): Migration[] {
  return steps.filter(({ version }) => !applied.some((done) => done.version === version));
}

const recordVersion = statement<
  { version: number; name: string; oldest_code: number; applied_at: string }
>()((db, p) =>
  db.insertInto("schema_versions").values({
    version: p.version,
    name: p.name,
    oldest_code: p.oldest_code,
    applied_at: p.applied_at,
  })
);

/** SQL that creates the table of applied versions where it is missing. */
export function versionTableSql(dialect: Dialect): string {
  const table = tableMaker(builders[dialect], dialect);
  const columns = ["version#", "name", "oldest_code#", "applied_at"];
  return table("schema_versions", columns, ["version"]).compile().sql
    .replace(/^create table/, "create table if not exists");
}

const raiseOldestCodeSql = statement<{ to: number }>()((db, p) =>
  db.updateTable("schema_versions").set({ oldest_code: p.to })
    .where(
      "version",
      "=",
      (eb) => eb.selectFrom("schema_versions").select((one) => one.fn.max("version").as("newest")),
    )
    .where("oldest_code", "<", p.to)
);

/**
 * Shuts out code that is older than `to`, for good: the newest step says from then on that it needs
 * that.
 */
export async function raiseOldestCode(connection: Connection, to: number): Promise<void> {
  await connection.change(raiseOldestCodeSql, { to });
}

/**
 * Brings the schema up to this code's version, inside the transaction that `connection` holds. Does
 * nothing where it is there already; throws as refuseForeign does. `steps`: those of this release;
 * a test is in for another one.
 */
export async function migrate(
  connection: MigrationConnection,
  nowText: string,
  steps: readonly Migration[] = ourMigrations,
): Promise<void> {
  const applied = await appliedSteps(connection);
  refuseForeign(applied, steps);
  // Code that was shut out once stays so.
  const least = Number(applied.at(-1)?.oldest_code ?? 0);
  for (const step of missingSteps(applied, steps)) {
    const { dialect } = connection;
    for (const query of step.statements(builders[dialect], dialect)) {
      await connection.exec(query.compile().sql);
    }
    await connection.change(recordVersion, {
      version: step.version,
      name: step.name,
      oldest_code: Math.max(step.oldestCode, least),
      applied_at: nowText,
    });
  }
  if (applied.length === 0 && steps.some(({ version }) => version === CHECKSUMS_DEMANDED)) {
    await raiseOldestCode(connection, CHECKSUMS_DEMANDED);
  }
}

/** Looks whether the schema is what this code needs. Throws SchemaTooOld or SchemaTooNew. */
export async function checkSchema(connection: Connection): Promise<void> {
  const applied = await appliedSteps(connection).catch((error) => {
    // Nothing tells more of a store without tables than that it has no table of versions.
    if (/schema_versions/.test(String(error))) return [];
    throw error;
  });
  refuseForeign(applied);
  if (missingSteps(applied).length > 0) {
    throw new SchemaTooOld(
      `the store has schema ${applied.at(-1)?.version ?? 0}, this needs ${
        ourMigrations.at(-1)?.version ?? 0
      }, and KEYDESK_UPGRADE is off: run \`keydesk upgrade\` with a role that may change the schema`,
    );
  }
}
