import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Whether an organisation's approvals are signed by a passkey; at first nobody's are. */
export function signedApprovalsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("sign_in_rules")
      .addColumn("signatures", integer, (c) => c.notNull().defaultTo(sql.lit(0))),
  ];
}
