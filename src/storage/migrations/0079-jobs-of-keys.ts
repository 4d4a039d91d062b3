import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** What jobs give to other things than key requests, and what a row was before its turn. */
export function jobsOfKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("jobs").addColumn("terms", text),
    db.schema.alterTable("job_rows").addColumn("was", text),
  ];
}
