import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Who is told of changes, and what became of each message. Rows of the outbox get the order in
 * which they were made, where anybody is to be told, and a mark once they were fanned out.
 */
export function deliveriesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const outbox = () => db.schema.alterTable("outbox_events");
  return [
    outbox().addColumn("position", integer),
    outbox().addColumn("fanned", integer),
    db.schema.createIndex("outbox_events_waiting").on("outbox_events")
      .columns(["org_id", "position"])
      .where(sql<boolean>`position is not null and fanned is null`),
    table("outbox_heads", ["org_id", "targets#", "floor#"], ["org_id"]),
    table(
      "delivery_targets",
      [
        "org_id",
        "id",
        "kind",
        "name",
        "config",
        "topics",
        "secrets?",
        "old_secret_until?",
        "state",
        "state_reason",
        "state_changed_at",
        "starts_behind#",
        "failing_since?",
        "failures#",
        "created_at",
      ],
      ["org_id", "id"],
    ),
    table(
      "deliveries",
      [
        "org_id",
        "id",
        "target_id",
        "event_id",
        "topic",
        "object_id",
        "at",
        "position#",
        "state",
        "line#",
        "blocked#",
        "due_at?",
        "holder",
        "tries#",
        "attempts#",
        "first_try_at?",
        "ended_at?",
      ],
      ["org_id", "id"],
      "clustered",
    ),
    // The pick of what is due, the line of each object, and what the lists and the purger look for.
    db.schema.createIndex("deliveries_due").on("deliveries")
      .columns(["org_id", "target_id", "due_at"]).where(sql<boolean>`due_at is not null`),
    db.schema.createIndex("deliveries_line").on("deliveries")
      .columns(["org_id", "target_id", "object_id", "position"]).where(sql<boolean>`line = 1`),
    db.schema.createIndex("deliveries_object").on("deliveries")
      .columns(["org_id", "object_id", "id"]),
    db.schema.createIndex("deliveries_open").on("deliveries")
      .columns(["org_id", "state", "id"]).where(sql<boolean>`state <> 'delivered'`),
    db.schema.createIndex("deliveries_ended").on("deliveries")
      .columns(["org_id", "id"]).where(sql<boolean>`ended_at is not null`),
    table(
      "delivery_attempts",
      [
        "org_id",
        "delivery_id",
        "n#",
        "at",
        "status#",
        "duration_ms#",
        "answer",
        "error",
      ],
      ["org_id", "delivery_id", "n"],
      "clustered",
    ),
    table("delivery_lease", ["id#", "holder", "until"], ["id"]),
    ...dialect === "postgres" ? sequence(db) : [],
  ];
}

/**
 * It begins with the microsecond in which it is made: positions that a store brings along when it
 * moves here lie before it.
 */
function sequence(db: QueryBuilder): Compilable[] {
  return [
    raw(sql`create sequence outbox_positions`, db),
    raw(
      sql`select setval('outbox_positions', (extract(epoch from clock_timestamp()) * 1000000)::bigint)`,
      db,
    ),
  ];
}

function raw(query: ReturnType<typeof sql>, db: QueryBuilder): Compilable {
  return { compile: () => query.compile(db) };
}
