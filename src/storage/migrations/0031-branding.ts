import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * What an organisation shows of itself to people outside: a row for each that says anything. Claims
 * are found by what they hand over.
 */
export function brandingSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("branding", ["org_id", "document"], ["org_id"]),
    ...["key_id", "request_id"].map((column) =>
      db.schema.createIndex(`claims_${column}`).on("claims")
        .columns(["org_id", column, "created_at", "id"])
        .where(sql<boolean>`${sql.ref(column)} <> ''`)
    ),
  ];
}
