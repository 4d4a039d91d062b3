import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * A process says how far its clock is ahead of the store's; those of earlier code do not. What a
 * node has the right to send is found by the right's end, so that one is found which no clock of
 * ours gave.
 */
export function oneClockSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("nodes").addColumn("ahead_ms", integer),
    db.schema.createIndex("deliveries_held").on("deliveries").columns(["due_at"])
      .where(sql<boolean>`holder <> ''`),
  ];
}
