import { type Compilable, sql } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/** Whether a gateway's policies are written. */
export function gatewayPoliciesSchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.alterTable("gateways")
      .addColumn("policies", sql`text`, (column) => column.notNull().defaultTo("compare")),
  ];
}
