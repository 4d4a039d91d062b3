import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Whether a gateway's policies are written. */
export function gatewayPoliciesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("gateways")
      .addColumn("policies", text, (column) => column.notNull().defaultTo("compare")),
  ];
}
