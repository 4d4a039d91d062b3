import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * What developers and plans need once they are managed for themselves: order, passwords, and plans
 * that are gone.
 */
export function companionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const raw = (query: string): Compilable => ({ compile: () => sql.raw(query).compile(db) });
  return [
    db.schema.alterTable("developers").addColumn("password_hash", text),
    db.schema.alterTable("developers")
      .addColumn("instant", text, (c) => c.notNull().defaultTo("")),
    // As kernel/timestamps.ts makes an instant of a time: nine digits of fraction, always.
    raw(`update developers set instant = substr(date_created, 1, 19) || '.' ||
      substr(replace(replace(substr(date_created, 20), '.', ''), 'Z', '') || '000000000', 1, 9) ||
      'Z'`),
    db.schema.createIndex("developers_newest").on("developers")
      .columns(["org_id", "instant", "id"]),
    ...INSTANT_LEVELS.map((length, level) =>
      raw(`insert into list_counts (org_id, list, level, bucket, shard, n)
        select org_id, 'developers', ${level}, substr(instant, 1, ${length}), 0, count(*)
        from developers group by org_id, substr(instant, 1, ${length})`)
    ),

    // A deleted plan stays as a tombstone: keys that have it must find it closed, not lifted. Its
    // name is free.
    db.schema.alterTable("plans").addColumn("deleted_at", text),
    db.schema.dropIndex("plans_name"),
    db.schema.createIndex("plans_name").on("plans").columns(["org_id", "name"]).unique()
      .where(sql<boolean>`deleted_at is null`),
    db.schema.createIndex("plans_newest").on("plans").columns(["org_id", "date_created", "id"])
      .where(sql<boolean>`deleted_at is null`),
    ...INSTANT_LEVELS.map((length, level) =>
      raw(`insert into list_counts (org_id, list, level, bucket, shard, n)
        select org_id, 'plans', ${level}, substr(date_created, 1, ${length}), 0, count(*)
        from plans group by org_id, substr(date_created, 1, ${length})`)
    ),

    // A developer's requests for one plan, without walking all that they ever asked for.
    db.schema.dropIndex("key_requests_by_user"),
    db.schema.createIndex("key_requests_by_user").on("key_requests")
      .columns(["org_id", "by_user", "for_plan"]),
  ];
}

/** The levels of storage/list-counts.ts as they were when this step was written. */
const INSTANT_LEVELS = [0, 7, 10, 13, 16];
