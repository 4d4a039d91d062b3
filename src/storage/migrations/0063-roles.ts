import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Roles of an organisation's own, who has which role, and of what alone people see and decide. */
export function rolesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table("roles", ["org_id", "id", "terms?", "created_at", "updated_at"], ["org_id", "id"]),

    db.schema.alterTable("users").addColumn("role", text),
    db.schema.alterTable("users").addColumn("covers", text),
    index("users_of_role", "users", ["org_id", "role"]).where("role", "is not", null),

    db.schema.alterTable("access_tokens").addColumn("scope_role", text),
    index("access_tokens_of_role", "access_tokens", ["org_id", "scope_role"])
      .where("scope_role", "is not", null),
  ];
}
