import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * Who said of a report of a leak that it is not so, and when; null: nobody did. Leaks are listed by
 * when they were reported.
 */
export function dismissedLeaksSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("leaks").addColumn("dismissed_at", text),
    db.schema.alterTable("leaks").addColumn("dismissed_by", text),
    db.schema.createIndex("leaks_newest").on("leaks")
      .columns(["org_id", "object", "reported_at", "object_id"]),
  ];
}
