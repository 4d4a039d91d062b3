import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Rows of the trail that its second place does not have for certain yet. */
export function trailSinkSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("trail_unsent", ["org_id", "event_id", "at"], ["at", "event_id", "org_id"], "clustered"),
  ];
}
