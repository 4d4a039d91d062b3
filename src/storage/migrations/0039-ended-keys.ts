import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Keys that were ended and developers who were deleted, as long as they can be brought back, and
 * how many keys each access token ended of late. Older code lets all of it lie: to it a key that
 * was ended is revoked.
 */
export function endedKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("ended_keys", [
      "org_id",
      "key_id",
      "developer_id",
      "deletion",
      "ended_by",
      "kept?",
      "expires_at",
    ], ["org_id", "key_id"]),
    db.schema.createIndex("ended_keys_owner").on("ended_keys").columns(["org_id", "developer_id"]),
    db.schema.createIndex("ended_keys_over").on("ended_keys").columns(["expires_at"]),
    table("deleted_developers", [
      "org_id",
      "id",
      "developer_id",
      "deleted_at",
      "deleted_by",
      "keys#",
      "kept?",
      "expires_at",
    ], ["org_id", "id"]),
    db.schema.createIndex("deleted_developers_id").on("deleted_developers")
      .columns(["org_id", "developer_id"]),
    db.schema.createIndex("deleted_developers_over").on("deleted_developers")
      .columns(["expires_at"]),
    table("ended_counts", ["org_id", "token_id", "minutes", "told_at", "expires_at"], [
      "org_id",
      "token_id",
    ]),
    db.schema.createIndex("ended_counts_over").on("ended_counts").columns(["expires_at"]),
  ];
}
