import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** What keys are granted on condition, and what was said, offered and known when one decided. */
export function conditionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const add = (table: string, column: string) =>
    db.schema.alterTable(table).addColumn(column, text);
  return [
    add("credentials", "conditions"),
    add("key_requests", "message"),
    add("key_requests", "granted"),
    add("key_requests", "offer"),
    add("key_requests", "decided_on"),
  ];
}
