import type { Compilable } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/** What happened to one thing, newest first. The trail as a whole is read by its key. */
export function activitySchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.createIndex("audit_events_object").on("audit_events")
      .columns(["org_id", "object_id", "id"]),
  ];
}
