import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** What developers added to their requests that wait. */
export function addedWordsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("key_requests").addColumn("added_words", text)];
}
