import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Until when whoever asks wants their key to live on. */
export function laterEndsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("key_requests").addColumn("asked_end", text)];
}
