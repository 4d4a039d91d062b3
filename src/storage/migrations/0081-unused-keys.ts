import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** What happens to keys that nobody uses, and suspensions that end by themselves. */
export function unusedKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("unused_rules", ["org_id", "plan", "terms", "updated_at", "place", "round_at"], [
      "org_id",
      "plan",
    ]),
    table(
      "key_schedules",
      ["org_id", "key_id", "step", "at", "idle_since", "due_at?", "event_id", "sent_at?"],
      ["org_id", "key_id"],
    ),
    db.schema.createIndex("key_schedules_due").on("key_schedules")
      .columns(["org_id", "due_at", "key_id"]).where(sql<boolean>`due_at is not null`),
    db.schema.createIndex("key_schedules_step").on("key_schedules")
      .columns(["org_id", "step", "at", "key_id"]),
    table("keys_elsewhere", ["org_id", "key_id", "elsewhere#", "said_by", "said_at"], [
      "org_id",
      "key_id",
    ]),
    table("timed_suspensions", ["org_id", "key_id", "suspended_at", "resume_at"], [
      "org_id",
      "key_id",
    ]),
    db.schema.createIndex("timed_suspensions_due").on("timed_suspensions")
      .columns(["org_id", "resume_at", "key_id"]),
  ];
}
