import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** How often a gateway is called at the most. */
export function gatewayPaceSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [db.schema.alterTable("gateways").addColumn("calls_per_second", integer)];
}
