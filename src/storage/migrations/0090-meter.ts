import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** What an old gateway was observed to decide, and which plans are decided here. */
export function meterSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const place = ["org_id", "kind", "object_id", "begins#", "verdict"];
  const placeOf = place.map((name) => name.replace("#", ""));
  return [
    table("observed_days", [...place, "asked#", "opened#", "last_at"], placeOf, "clustered"),
    db.schema.createIndex("observed_days_begins").on("observed_days").columns(["begins"]),
    db.schema.createIndex("observed_days_kind").on("observed_days")
      .columns(["org_id", "kind", "begins", "object_id"]),
    table(
      "observed_differences",
      ["org_id", "id", "at", "key_id", "developer_id", "plan_id", "api_id", "door", "reason"],
      ["org_id", "id"],
    ),
    ...["key_id", "plan_id"].map((name) =>
      db.schema.createIndex(`observed_differences_by_${name}`).on("observed_differences")
        .columns(["org_id", name, "id"])
    ),
    table("plan_switches", ["org_id", "plan", "decided", "changed_at", "changed_by"], [
      "org_id",
      "plan",
    ]),
  ];
}
