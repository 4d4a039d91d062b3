import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Until when developers were given access to plans, how many keys of a plan they may have, and
 * which keys share a quota count. Plans that exist keep their keys' life and any number of keys.
 */
export function grantedAccessSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const owner = ["org_id", "developer_id", "plan_id"];
  return [
    db.schema.alterTable("plans").addColumn("expiry_applies_to", text),
    db.schema.alterTable("plans").addColumn("max_keys", integer),
    db.schema.alterTable("credentials").addColumn("quota_key", text),
    tableMaker(db, dialect)("plan_accesses", [...owner, "granted_at", "ends_at?"], owner),
  ];
}
