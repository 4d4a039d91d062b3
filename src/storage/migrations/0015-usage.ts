import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** How often keys were used, by hour and by day. */
export function usageSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const counts = ["usage_hours", "usage_days"].flatMap((name) => [
    table(
      name,
      [
        "org_id",
        "kind",
        "object_id",
        "begins#",
        "plan_id",
        "api_id",
        "success#",
        "error_401#",
        "error_403#",
        "error_429#",
        "last_hit",
      ],
      ["org_id", "kind", "object_id", "begins", "plan_id", "api_id"],
      "clustered",
    ),
    // What is too old is found by its age, in whichever organisation: with org_id first, sums would
    // walk this too.
    db.schema.createIndex(`${name}_age`).on(name).column("begins"),
  ]);
  // Keys whose counts are to go, which may be too many for one transaction.
  const erasures = table("usage_erasures", ["org_id", "key_id"], ["org_id", "key_id"], "clustered");
  return [...counts, erasures];
}
