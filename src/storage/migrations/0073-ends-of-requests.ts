import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** When key requests that wait end by themselves, and when something of that is to be done next. */
export function endsOfRequestsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("key_requests").addColumn("expires_at", text),
    db.schema.alterTable("key_requests").addColumn("due_at", text),
    db.schema.createIndex("key_requests_due").on("key_requests")
      .columns(["org_id", "due_at", "id"])
      .where(sql<boolean>`state = 'pending' and due_at is not null`),
  ];
}
