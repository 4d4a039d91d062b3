import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Until when a decision is promised, and when something of that is to be told next. */
export function promisesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, columns: string[], of: string) =>
    db.schema.createIndex(name).on("key_requests").columns(columns)
      .where(sql<boolean>`state = 'pending' and ${sql.ref(of)} is not null`);
  return [
    db.schema.alterTable("key_requests").addColumn("decide_by", text),
    db.schema.alterTable("key_requests").addColumn("tell_at", text),
    index("key_requests_promised", ["org_id", "decide_by", "id"], "decide_by"),
    index("key_requests_to_tell", ["org_id", "tell_at", "id"], "tell_at"),
  ];
}
