import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * The trail names the call of each change and keeps what is personal apart; access tokens say who
 * issued them for somebody else, and claims may hand one over. Rows that are there, and rows of
 * earlier code, say nothing of it.
 */
export function trailSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const added = (table: string, column: string, value = "") =>
    db.schema.alterTable(table)
      .addColumn(column, text, (c) => c.notNull().defaultTo(sql.lit(value)));
  return [
    added("audit_events", "token_id"),
    added("audit_events", "session"),
    added("audit_events", "request_id"),
    added("audit_events", "client_address"),
    added("audit_events", "personal", "{}"),
    added("access_tokens", "issued_by"),
    added("claims", "access_token_id"),
  ];
}
