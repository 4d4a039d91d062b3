import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Who must say yes to a plan's key requests, and under what a request was asked. */
export function approvalPoliciesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    table("approval_policies", ["org_id", "plan", "terms", "updated_at"], ["org_id", "plan"]),
    db.schema.alterTable("key_requests").addColumn("policy", text),
  ];
}
