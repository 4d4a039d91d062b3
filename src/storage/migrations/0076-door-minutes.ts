import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** How often a door called in its newest minutes. */
export function doorMinutesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("doors")
      .addColumn("minutes", text, (c) => c.notNull().defaultTo(sql.lit(""))),
  ];
}
