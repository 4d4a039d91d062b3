import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

const newestSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select("version").orderBy("version", "desc").limit(sql.lit(1))
);

/** The number of the newest migration that the store has seen. */
export async function schemaVersion(db: Connection): Promise<number> {
  return Number((await db.row(newestSql, {}))?.version ?? 0);
}
