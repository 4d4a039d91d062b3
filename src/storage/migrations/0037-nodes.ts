import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** The processes that serve a store which several of them may reach. */
export function nodesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const columns = ["id", "name", "version", "started_at", "seen_at", "stale_ms#"];
  return [tableMaker(db, dialect)("nodes", columns, ["id"])];
}
