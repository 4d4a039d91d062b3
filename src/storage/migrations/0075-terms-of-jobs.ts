import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** What the approvals of a job grant and say to developers, and how many of them were steps. */
export function termsOfJobsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("jobs").addColumn("message", text),
    db.schema.alterTable("jobs").addColumn("conditions", text),
    db.schema.alterTable("jobs").addColumn(
      "steps",
      integer,
      (column) => column.notNull().defaultTo(0),
    ),
  ];
}
