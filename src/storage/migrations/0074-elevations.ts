import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Who may hold a role for a while, and who does. */
export function elevationsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    table("elevation_rules", ["org_id", "id", "terms?", "created_at", "updated_at"], [
      "org_id",
      "id",
    ]),
    table("elevations", [
      "org_id",
      "id",
      "rule_id",
      "person_id",
      "session_id",
      "state",
      "terms?",
      "asked_at",
      "started_at?",
      "expires_at",
      "seen_at?",
      "confirmed_by?",
      "ended_at?",
      "ended_by?",
      "end_reason?",
      "deeds#=0",
    ], ["org_id", "id"]),
    db.schema.createIndex("elevations_under_way").on("elevations")
      .columns(["org_id", "person_id"]).where(sql.ref("ended_at"), "is", null),
    db.schema.alterTable("sessions").addColumn("elevation_id", text),
  ];
}
