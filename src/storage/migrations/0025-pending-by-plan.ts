import { type Compilable, sql } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/**
 * A developer's undecided requests by plan, in one index: whoever asks for a plan's asks for
 * undecided ones alone.
 */
export function pendingByPlanSchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.dropIndex("key_requests_by_user"),
    db.schema.dropIndex("key_requests_pending"),
    db.schema.createIndex("key_requests_pending").on("key_requests")
      .columns(["org_id", "by_user", "for_plan"]).where(sql<boolean>`state = 'pending'`),
  ];
}
