import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Who of the team looks after a request that waits, and to whom a job assigns. */
export function assignedRequestsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("key_requests").addColumn("assignee", text),
    db.schema.createIndex("key_requests_assigned").on("key_requests")
      .columns(["org_id", "assignee", "instant", "id"])
      .where(sql<boolean>`state = 'pending' and assignee is not null`),
    db.schema.alterTable("jobs").addColumn("assignee", text),
  ];
}
