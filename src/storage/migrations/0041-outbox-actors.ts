import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** A message says who made its change. Those there already, and earlier code's, do not. */
export function outboxActorsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("outbox_events")
      .addColumn("actor", text, (c) => c.notNull().defaultTo(sql.lit(""))),
  ];
}
