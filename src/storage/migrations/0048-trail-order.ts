import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * The trail is read in the order of its own log, as a whole and of one thing; what waits for the
 * log by its time.
 */
export function trailOrderSchema(db: QueryBuilder, _: Dialect): Compilable[] {
  const index = (name: string, ...columns: string[]) =>
    db.schema.createIndex(name).on("audit_events").columns(["org_id", ...columns]);
  return [
    index("audit_events_logged", "leaf_index", "id").where(sql<boolean>`leaf_index is not null`),
    index("audit_events_object_logged", "object_id", "leaf_index", "id")
      .where(sql<boolean>`leaf_index is not null`),
    index("audit_events_unlogged", "at", "id").where(sql<boolean>`leaf_index is null`),
  ];
}
