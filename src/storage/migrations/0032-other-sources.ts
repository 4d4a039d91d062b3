import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Which source told of what moved in; and what finds passwords that another system hashed. */
export function otherSourcesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("imports")
      .addColumn("sources", text, (c) => c.notNull().defaultTo(sql.lit("[{},{}]"))),
    // Of bcrypt's hashes alone, by their cost. Each log-in replaces one.
    db.schema.createIndex("developers_foreign_password").on("developers").columns(["org_id"])
      .expression(sql`substr(password_hash, 5, 2)`).where(sql<boolean>`password_hash < '$3'`),
  ];
}
