import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/** How much of each quota is given out to the nodes that verify. */
export function quotasSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  return [
    tableMaker(db, dialect)(
      "quota_uses",
      ["org_id", "key_id", "plan_id", "period#", "used#"],
      ["org_id", "key_id", "plan_id", "period"],
      "clustered",
    ),
  ];
}
