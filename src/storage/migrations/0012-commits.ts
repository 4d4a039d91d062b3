import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/**
 * What tells whether a commit whose answer was lost was done. SQLite's answers can't get lost on
 * the way.
 */
export function commitsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  if (dialect === "sqlite") return [];
  return [tableMaker(db, dialect)("commits", ["id", "kept#", "at"], ["id"])];
}
