import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { numberOf } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";

/** The number of the newest migration that the store has seen. */
export const schemaVersion = numberOf((db) =>
  db.selectFrom("schema_versions").select("version").orderBy("version", "desc").limit(sql.lit(1))
);

const newestChangeSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select("at").where("org_id", "=", p.org_id)
    .orderBy("id", "desc").limit(sql.lit(1))
);

/**
 * When the organisation's newest change was made, in milliseconds since 1970; undefined before the
 * first.
 */
export async function newestChange(db: Connection, org_id: string): Promise<number | undefined> {
  const row = await db.row(newestChangeSql, { org_id });
  return row && Date.parse(row.at);
}

const oldestChangeSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select("at").where("org_id", "=", p.org_id)
    .orderBy("id").limit(sql.lit(1))
);

/**
 * When the oldest change that the organisation's audit log still holds was made, as `newestChange`
 * gives it.
 */
export async function oldestChange(db: Connection, org_id: string): Promise<number | undefined> {
  const row = await db.row(oldestChangeSql, { org_id });
  return row && Date.parse(row.at);
}
