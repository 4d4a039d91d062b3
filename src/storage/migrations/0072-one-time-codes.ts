import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * One-time codes of people's apps and their recovery codes, and whether an organisation asks its
 * people for a second factor; at first none does.
 */
export function oneTimeCodesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    table(
      "one_time_secrets",
      ["org_id", "id", "secret?", "last_step#", "created_at", "last_used_at?"],
      ["org_id", "id"],
    ),
    table("recovery_codes", ["org_id", "user_id", "hash"], ["org_id", "user_id", "hash"]),
    db.schema.alterTable("sign_in_rules")
      .addColumn("second_factor", integer, (c) => c.notNull().defaultTo(sql.lit(0))),
  ];
}
