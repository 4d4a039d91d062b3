import { sql } from "kysely";
import { newestEvent } from "../../changes/audit-events.store.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

/** The audit log's event of a backup in the first organisation. */
export const BACKED_UP = { action: "store.backed_up", object: "store", object_id: "backup" };

/**
 * When the newest known backup was made; undefined: none is known, or it is reported to another
 * organisation.
 */
export async function lastBackup(db: Connection, org_id: string): Promise<string | undefined> {
  const { object_id, action } = BACKED_UP;
  return (await newestEvent(db, { org_id, object_id, action }))?.at;
}

const oldestRequestSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("key_requests").select("id").where("org_id", "=", p.org_id)
    .orderBy("id").limit(sql.lit(1))
);

const madeSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select("applied_at").orderBy("version").limit(sql.lit(1))
);

/** Since when a store that is a file has something to lose: its making, once it has a request. */
export async function worthSavingSince(
  db: Connection,
  org_id: string,
): Promise<string | undefined> {
  if (db.dialect !== "sqlite" || !await db.row(oldestRequestSql, { org_id })) return undefined;
  return (await db.row(madeSql, {}))?.applied_at;
}
