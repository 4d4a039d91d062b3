import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Hashes of the trail's rows, and the log of each organisation that they go into. Rows that are
 * there go in later, in the background: their log knows the highest id of them.
 */
export function provableTrailSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const audit = () => db.schema.alterTable("audit_events");
  return [
    audit().addColumn("content_hash", text),
    audit().addColumn("salts", text, (c) => c.notNull().defaultTo(sql.lit("{}"))),
    audit().addColumn("erased", text, (c) => c.notNull().defaultTo(sql.lit("{}"))),
    audit().addColumn("leaf_index", integer),
    db.schema.createIndex("audit_events_waiting").on("audit_events").columns(["org_id", "id"])
      .where(sql<boolean>`leaf_index is null`),
    table(
      "trail_logs",
      [
        "org_id",
        "size#",
        "frontier",
        "upgrade_until",
        "key_id",
        "checkpoint",
        "checkpoint_at",
        "cut_size#",
        "cut_frontier",
      ],
      ["org_id"],
    ),
    table(
      "trail_leaves",
      ["org_id", "leaf_index#", "event_id", "kind", "leaf_hash"],
      ["org_id", "leaf_index"],
      "clustered",
    ),
    table(
      "trail_checkpoints",
      ["org_id", "size#", "at", "note"],
      ["org_id", "size"],
      "clustered",
    ),
    table(
      "trail_keys",
      ["org_id", "id", "public_key", "private_key?", "made_at"],
      ["org_id", "id"],
    ),
    table("trail_lease", ["id#", "holder", "until"], ["id"]),
    db.insertInto("trail_logs").columns([
      "org_id",
      "size",
      "frontier",
      "upgrade_until",
      "key_id",
      "checkpoint",
      "checkpoint_at",
      "cut_size",
      "cut_frontier",
    ]).expression(
      db.selectFrom("audit_events").groupBy("org_id").select((eb) => [
        "org_id",
        sql.lit(0).as("size"),
        sql.lit("").as("frontier"),
        eb.fn.max("id").as("upgrade_until"),
        sql.lit("").as("key_id"),
        sql.lit("").as("checkpoint"),
        sql.lit("").as("checkpoint_at"),
        sql.lit(0).as("cut_size"),
        sql.lit("").as("cut_frontier"),
      ]),
    ),
  ];
}
