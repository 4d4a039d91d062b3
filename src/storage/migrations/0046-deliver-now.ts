import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** A target that takes messages again says until when what waits for it is to be due. */
export function deliverNowSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("delivery_targets").addColumn("wake_by", text)];
}
