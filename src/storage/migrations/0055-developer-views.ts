import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Who of the organisation sees a developer's pages as that developer does. */
export function developerViewsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("developer_links").addColumn("viewer", text),
    db.schema.alterTable("developer_sessions").addColumn("viewer", text),
  ];
}
