import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** The time by which is purged, which a clock that jumps does not move. */
export function purgeClockSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  return [tableMaker(db, dialect)("purge_clock", ["id#", "until#"], ["id"])];
}
