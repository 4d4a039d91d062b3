import { migrations } from "./migrations/list.ts";
import { tableMaker } from "./migrations/0001-key-requests.ts";
import { builders, type Dialect, statement } from "./statement.ts";
import type { Connection } from "./storage.ts";

/** What a migration runs on: a connection that holds the migration lock inside one transaction. */
export interface MigrationConnection extends Connection {
  exec(sql: string): Promise<void>;
}

/** Thrown when the store's schema is newer than this code can serve. */
export class SchemaTooNew extends Error {}

/** Thrown where the schema is older than this code needs and may not be changed (KEYDESK_MIGRATE=off). */
export class SchemaTooOld extends Error {}

const appliedVersions = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select(["version", "oldest_code"]).orderBy("version")
);

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

/**
 * Brings the schema up to this code's version, inside the transaction that `connection` holds. Does nothing
 * where it is there already; throws SchemaTooNew where newer code has left this code behind.
 */
export async function migrate(connection: MigrationConnection, nowText: string): Promise<void> {
  const applied = await connection.rows(appliedVersions, {});
  refuseNewer(applied);
  for (const step of migrations) {
    if (applied.some((done) => done.version === step.version)) continue;
    const { dialect } = connection;
    for (const query of step.statements(builders[dialect], dialect)) {
      await connection.exec(query.compile().sql);
    }
    await connection.change(recordVersion, {
      version: step.version,
      name: step.name,
      oldest_code: step.oldestCode,
      applied_at: nowText,
    });
  }
}

/** Looks whether the schema is the one that this code needs. Throws SchemaTooOld or SchemaTooNew. */
export async function checkSchema(connection: Connection): Promise<void> {
  const applied = await connection.rows(appliedVersions, {}).catch((error) => {
    // Nothing tells more of a store without tables than that it has no table of versions.
    if (/schema_versions/.test(String(error))) return [];
    throw error;
  });
  refuseNewer(applied);
  const missing = migrations.find(({ version }) =>
    applied.every((done) => done.version !== version)
  );
  if (missing) {
    throw new SchemaTooOld(
      `the store has schema ${
        applied.at(-1)?.version ?? 0
      }, this needs ${newest}, and KEYDESK_MIGRATE is off: run \`keydesk migrate\` with a role that may change the schema`,
    );
  }
}

const newest = migrations.at(-1)?.version ?? 0;

function refuseNewer(applied: readonly { version: number; oldest_code: number }[]): void {
  const current = applied.at(-1);
  if (current && current.oldest_code > newest) {
    throw new SchemaTooNew(
      `the store has schema ${current.version}, which needs code of schema ${current.oldest_code} or later; this is ${newest}`,
    );
  }
}
