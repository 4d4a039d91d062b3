import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * A call has an id of ours, and beside it the one that its caller gave. Rows that are there, and
 * rows of earlier code, have one id, which is the caller's where it gave any; messages of earlier
 * code have none.
 */
export function callerRequestIdsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const added = (table: string, column: string) =>
    db.schema.alterTable(table).addColumn(column, text, (c) => c.notNull().defaultTo(sql.lit("")));
  return [
    added("audit_events", "caller_request_id"),
    added("jobs", "caller_request_id"),
    added("leak_reports", "caller_request_id"),
    added("outbox_events", "request_id"),
    added("outbox_events", "caller_request_id"),
  ];
}
