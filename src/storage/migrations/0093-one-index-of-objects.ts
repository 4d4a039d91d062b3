import type { Compilable } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/**
 * What tells of one object is read from the log's index, and from the few rows that wait for the
 * log: a second index of all took a page for each change.
 */
export function oneIndexOfObjectsSchema(db: QueryBuilder): Compilable[] {
  return [db.schema.dropIndex("audit_events_object")];
}
