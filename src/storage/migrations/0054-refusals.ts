import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

const REASONS = [
  "unknown",
  "revoked",
  "suspended",
  "damaged",
  "expired",
  "unknown_plan",
  "plan_inactive",
  "wrong_api",
  "address",
  "address_unknown",
  "over_rate",
  "over_quota",
  "unsure",
];

/**
 * Refusals are counted by their reason and kept one by one for a while; doors have names. Counts
 * that are there say no reason.
 */
export function refusalsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const index = (columns: string[]) =>
    db.schema.createIndex(`refusals_by_${columns[0]}`).on("refusals")
      .columns(["org_id", ...columns, "id"]);
  return [
    ...["usage_hours", "usage_days"].flatMap((name) =>
      REASONS.map((reason) => db.schema.alterTable(name).addColumn(`refused_${reason}`, integer))
    ),
    table(
      "refusals",
      [
        "org_id",
        "id",
        "at",
        "reason",
        "door",
        "api_id",
        "plan_id",
        "key_id",
        "developer_id",
        "facts",
        "hash_start",
        "network",
      ],
      ["org_id", "id"],
    ),
    ...["reason", "door", "api_id", "plan_id", "key_id", "developer_id"].map((name) =>
      index([name])
    ),
    table(
      "doors",
      [
        "org_id",
        "id",
        "name",
        "kind",
        "silent_minutes#",
        "created_at",
        "created_by",
        "version",
        "first_call_at?",
        "last_call_at?",
      ],
      ["org_id", "id"],
    ),
    db.schema.createIndex("doors_name").on("doors").columns(["org_id", "name"]).unique(),
  ];
}
