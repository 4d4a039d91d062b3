import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/**
 * Decisions with their reasons, what the lists under `/v1` are read by, the search of key requests,
 * and claims.
 */
export function decisionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const added = (name: string) => db.schema.alterTable("key_requests").addColumn(name, text);
  const index = (name: string) => db.schema.createIndex(name).on("key_requests");
  return [
    added("decided_at"),
    added("decided_by"),
    added("decision_reason"),
    index("key_requests_issued").columns(["org_id", "instant", "id"])
      .where(sql<boolean>`state = 'issued'`),
    // Pending ones that came in as approved: few, and between them and the issued ones lies nothing
    // to skip.
    index("key_requests_waiting").columns(["org_id", "instant", "id"])
      .where(sql<boolean>`state = 'pending' and approved = 1`),
    index("key_requests_plan").columns(["org_id", "for_plan", "state", "instant", "id"]),
    index("key_requests_developer").columns(["org_id", "by_user", "instant", "id"]),

    table("key_request_changes", ["org_id", "mark", "id"], ["org_id", "mark"], "clustered"),
    table(
      "key_request_positions",
      ["org_id", "id", "position#", "instant", "text"],
      ["org_id", "id"],
      "clustered",
    ),
    db.schema.createIndex("key_request_positions_position").on("key_request_positions")
      .column("position").unique(),
    ...(dialect === "sqlite" ? sqliteSearch : postgresSearch).map((one) => raw(db, one)),
    // What is there already waits to be found, like what comes.
    raw(
      db,
      "insert into key_request_changes (org_id, mark, id) select org_id, id, id from key_requests",
    ),

    table(
      "claims",
      [
        "org_id",
        "id",
        "hash",
        "state",
        "secret?",
        "key_id",
        "request_id",
        "created_by",
        "created_at",
        "expires_at",
        "closed_at?",
      ],
      ["org_id", "id"],
    ),
    db.schema.createIndex("claims_hash").on("claims").column("hash").unique(),
    db.schema.createIndex("claims_newest").on("claims").columns(["org_id", "created_at", "id"]),
    db.schema.createIndex("claims_expiry").on("claims").column("expires_at")
      .where(sql<boolean>`secret is not null`),
  ];
}

/** Texts are in lower case already. `org` is a word of three letters: one trigram. */
const sqliteSearch = [
  `create virtual table key_request_search using fts5(
    text, org, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`,
];

/** Without the extension a search walks its organisation's texts: right, but slow. */
const postgresSearch = [
  `create index key_request_positions_org on key_request_positions (org_id, position)`,
  `do $$ begin
    if exists (select 1 from pg_extension where extname = 'pg_trgm') then
      create index key_request_positions_text on key_request_positions
        using gin (text gin_trgm_ops);
    end if;
  end $$`,
];

function raw(db: QueryBuilder, text: string): Compilable {
  return { compile: () => sql.raw(text).compile(db) };
}
