import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Which suspended keys were suspended by their own developers. */
export function ownSuspensionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  return [tableMaker(db, dialect)("own_suspensions", ["org_id", "key_id"], ["org_id", "key_id"])];
}
