import { sql } from "kysely";
import { value } from "../storage/statement-functions.ts";

/** When a key was last restored that had been revoked; undefined: never. */
export const restoredAt = value((db, p: { org_id: string; object_id: string }) =>
  db.selectFrom("audit_events").select("at")
    .where("org_id", "=", p.org_id).where("object_id", "=", p.object_id)
    .where("action", "=", sql.lit("credential.restored"))
    .orderBy("id", "desc").limit(sql.lit(1))
);
