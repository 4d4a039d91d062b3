import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** A job that approves says when its keys end; null, as those so far: when their plans say. */
export function endsOfJobsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("jobs").addColumn("key_expires_at", text)];
}
