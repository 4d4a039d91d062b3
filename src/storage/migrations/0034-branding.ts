import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/** What an organisation shows of itself to people outside: a row for each that says anything. */
export function brandingSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [table("branding", ["org_id", "document"], ["org_id"])];
}
