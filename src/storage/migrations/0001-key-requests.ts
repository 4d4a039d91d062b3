import { type Compilable, type CreateTableBuilder, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** The first schema: access, key requests and what stands around them, audit, outbox, counters. */
export function keyRequestsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("organisations", ["id", "name", "date_created"], ["id"]),
    table("users", ["org_id", "id", "name", "permissions", "date_created"], ["org_id", "id"]),
    table(
      "access_tokens",
      ["org_id", "id", "user_id", "name", "hash", "date_created", "expires_at?", "revoked_at?"],
      ["org_id", "id"],
    ),
    db.schema.createIndex("access_tokens_hash").on("access_tokens").column("hash").unique(),

    table(
      "key_requests",
      [
        "org_id",
        "id",
        "state",
        "approved#",
        "by_user",
        "instant",
        "for_plan",
        "head",
        "tail",
        "issued_at?",
        "issued_by?",
        "secrets?",
        "sent_developer?",
        "sent_entry?",
        "sent_catalogues",
      ],
      ["org_id", "id"],
    ),
    // Declined requests are absent from the legacy lists, so they are absent from the indexes that
    // serve these.
    db.schema.createIndex("key_requests_newest").on("key_requests")
      .columns(["org_id", "instant", "id"]).where(sql<boolean>`state <> 'declined'`),
    db.schema.createIndex("key_requests_approved").on("key_requests")
      .columns(["org_id", "approved", "instant", "id"]).where(sql<boolean>`state <> 'declined'`),
    db.schema.createIndex("key_requests_declined").on("key_requests")
      .columns(["org_id", "instant", "id"]).where(sql<boolean>`state = 'declined'`),
    db.schema.createIndex("key_requests_by_user").on("key_requests").columns(["org_id", "by_user"]),

    table(
      "developers",
      ["org_id", "id", "email_key", "date_created", "secrets?", "document"],
      ["org_id", "id"],
    ),
    db.schema.createIndex("developers_email").on("developers").columns(["org_id", "email_key"])
      .unique().where(sql<boolean>`email_key <> ''`),

    table(
      "plans",
      ["org_id", "id", "name", "auth_type", "date_created", "document"],
      ["org_id", "id"],
    ),
    db.schema.createIndex("plans_name").on("plans").columns(["org_id", "name"]).unique(),

    table("catalogues", ["org_id", "id", "email", "revision#"], ["org_id"]),
    table(
      "catalogue_entries",
      ["org_id", "position#", "api_id", "policy_id", "document"],
      ["org_id", "position"],
    ),
    db.schema.createIndex("catalogue_entries_policy").on("catalogue_entries")
      .columns(["org_id", "policy_id", "position"]),
    table("portal_configurations", ["org_id", "id", "document"], ["org_id"]),

    table(
      "credentials",
      [
        "org_id",
        "key_id",
        "kind",
        "secret_hash?",
        "state",
        "developer_id",
        "request_id",
        "plans",
        "mask",
        "attempt_id",
        "issued_at",
        "issued_by",
      ],
      ["org_id", "key_id"],
    ),
    db.schema.createIndex("credentials_developer").on("credentials")
      .columns(["org_id", "developer_id"]),

    table(
      "idempotent_answers",
      ["org_id", "scope", "fingerprint", "answer?", "expires_at"],
      ["org_id", "scope"],
    ),
    db.schema.createIndex("idempotent_answers_expiry").on("idempotent_answers").column(
      "expires_at",
    ),

    table(
      "audit_events",
      ["org_id", "id", "at", "actor", "action", "object", "object_id", "detail"],
      ["org_id", "id"],
      "clustered",
    ),
    table(
      "outbox_events",
      ["org_id", "id", "at", "topic", "object_id"],
      ["org_id", "id"],
      "clustered",
    ),
    table(
      "list_counts",
      ["org_id", "list", "level#", "bucket", "shard#", "n#"],
      ["org_id", "list", "level", "bucket", "shard"],
      "clustered",
    ),
    table("sealing_keys", ["version#", "check_value"], ["version"]),
  ];
}

/**
 * Creates tables from column words: `name` text, `name?` text that may be null, `name#` integer.
 * PostgreSQL's text gets the "C" collation, so that both engines compare and sort by bytes. A
 * clustered table is kept in the order of its key where the engine can do that.
 */
export function tableMaker(db: QueryBuilder, dialect: Dialect) {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return (name: string, columns: string[], key: string[], layout?: "clustered"): Compilable => {
    let builder: CreateTableBuilder<string, string> = db.schema.createTable(name);
    for (const word of columns) {
      const column = word.replace(/[?#]$/, "");
      const type = word.endsWith("#") ? integer : text;
      builder = builder.addColumn(column, type, (c) => word.endsWith("?") ? c : c.notNull());
    }
    builder = builder.addPrimaryKeyConstraint(`${name}_key`, key as [string]);
    return layout === "clustered" && dialect === "sqlite"
      ? builder.modifyEnd(sql`without rowid`)
      : builder;
  };
}
