import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** What others know of the trail's logs, and what this desk knows of others' as their witness. */
export function headsOutsideSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("trail_cosigned", ["org_id", "size#", "at", "note"], ["org_id"]),
    table("trail_told", ["org_id", "size#", "at"], ["org_id"]),
    table("witnessed_logs", ["origin", "keys", "size#", "root", "at", "added_at"], ["origin"]),
  ];
}
