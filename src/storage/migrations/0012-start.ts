import { type Compilable, type CreateIndexBuilder, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { type TableMaker, tableMaker } from "./migration.ts";
import type { Migration } from "./migration.ts";

/** Steps of the schema, in order; one that has been released never changes. */
export const migrations0012: readonly Migration[] = [
  // The oldest that is opened: code before it would let in credentials beyond their scope.
  { version: 12, name: "start", oldestCode: 10, statements: startSchema },
];

/** Begins the statement that creates an index. */
type IndexMaker = (name: string, table: string, columns: string[]) => CreateIndexBuilder;

/**
 * The schema of the oldest stores that can be opened, made at once: access, key requests,
 * credentials, certificates, the audit log, and what belongs to them. It was twelve steps once;
 * stores that took them have a row for each.
 */
function startSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const index: IndexMaker = (name, of, columns) =>
    db.schema.createIndex(name).on(of).columns(columns);
  const raw = (text: string): Compilable => ({ compile: () => sql.raw(text).compile(db) });
  return [
    ...access(table, index),
    ...keyRequests(table, index),
    ...developersAndPlans(table, index),
    ...credentials(table, index),
    ...certificates(table, index),
    ...trail(table, index),
    ...invalidations(table, index),
    db.insertInto("invalidation_counter").values({ id: sql.lit(1), position: sql.lit(0) }),
    // The table tells whether a commit whose answer was lost was done. SQLite's can't get lost.
    ...(dialect === "postgres" ? [table("commits", ["id", "kept#", "at"], ["id"])] : []),
    ...(dialect === "sqlite" ? sqliteSearches : postgresSearches).map(raw),
  ];
}

function access(table: TableMaker, index: IndexMaker): Compilable[] {
  return [
    table("organisations", ["id", "name", "date_created"], ["id"]),
    table(
      "users",
      ["org_id", "id", "name", "permissions", "date_created", "deactivated_at?"],
      ["org_id", "id"],
    ),
    table(
      "access_tokens",
      [
        "org_id",
        "id",
        "user_id",
        "name",
        "hash",
        "date_created",
        "expires_at?",
        "revoked_at?",
        "scope?",
        "replaced_by?",
      ],
      ["org_id", "id"],
    ),
    index("access_tokens_hash", "access_tokens", ["hash"]).unique(),
    index("access_tokens_user", "access_tokens", ["org_id", "user_id", "id"]),
    table(
      "sessions",
      ["org_id", "id", "hash", "token_id", "user_id", "created_at", "expires_at"],
      ["org_id", "id"],
    ),
    // A browser presents its session without saying whose it is.
    index("sessions_hash", "sessions", ["hash"]).unique(),
    index("sessions_expiry", "sessions", ["expires_at"]),
    table(
      "sign_in_codes",
      ["org_id", "hash", "token_id", "created_at", "expires_at"],
      ["org_id", "hash"],
    ),
    index("sign_in_codes_hash", "sign_in_codes", ["hash"]).unique(),
    index("sign_in_codes_expiry", "sign_in_codes", ["expires_at"]),
    table("sealing_keys", ["version#", "check_value"], ["version"]),
    table(
      "idempotent_answers",
      ["org_id", "scope", "fingerprint", "answer?", "expires_at"],
      ["org_id", "scope"],
    ),
    index("idempotent_answers_expiry", "idempotent_answers", ["expires_at"]),
  ];
}

function keyRequests(table: TableMaker, index: IndexMaker): Compilable[] {
  const byTime = (name: string, before: string[] = []) =>
    index(name, "key_requests", ["org_id", ...before, "instant", "id"]);
  return [
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
        "decided_at?",
        "decided_by?",
        "decision_reason?",
      ],
      ["org_id", "id"],
    ),
    // Declined requests are absent from the legacy lists, so they are absent from the indexes that
    // serve these.
    byTime("key_requests_newest").where(sql<boolean>`state <> 'declined'`),
    byTime("key_requests_approved", ["approved"]).where(sql<boolean>`state <> 'declined'`),
    byTime("key_requests_declined").where(sql<boolean>`state = 'declined'`),
    byTime("key_requests_issued").where(sql<boolean>`state = 'issued'`),
    // Pending ones that came in as approved: few, and between them and the issued ones lies nothing
    // to skip.
    byTime("key_requests_waiting").where(sql<boolean>`state = 'pending' and approved = 1`),
    byTime("key_requests_plan", ["for_plan", "state"]),
    byTime("key_requests_developer", ["by_user"]),
    // A developer's requests for one plan, without walking all that they ever asked for.
    index("key_requests_by_user", "key_requests", ["org_id", "by_user", "for_plan"]),

    table("key_request_changes", ["org_id", "mark", "id"], ["org_id", "mark"], "clustered"),
    table(
      "key_request_positions",
      ["org_id", "id", "position#", "instant", "text"],
      ["org_id", "id"],
      "clustered",
    ),
    index("key_request_positions_position", "key_request_positions", ["position"]).unique(),
    table(
      "list_counts",
      ["org_id", "list", "level#", "bucket", "shard#", "n#"],
      ["org_id", "list", "level", "bucket", "shard"],
      "clustered",
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
    index("claims_hash", "claims", ["hash"]).unique(),
    index("claims_newest", "claims", ["org_id", "created_at", "id"]),
    index("claims_expiry", "claims", ["expires_at"]).where(sql<boolean>`secret is not null`),
  ];
}

function developersAndPlans(table: TableMaker, index: IndexMaker): Compilable[] {
  return [
    table(
      "developers",
      [
        "org_id",
        "id",
        "email_key",
        "date_created",
        "secrets?",
        "document",
        "password_hash?",
        "instant=",
        "inactive#=0",
        // 0: the search does not know this developer as they are now.
        "worded#=0",
      ],
      ["org_id", "id"],
    ),
    index("developers_email", "developers", ["org_id", "email_key"])
      .unique().where(sql<boolean>`email_key <> ''`),
    index("developers_newest", "developers", ["org_id", "instant", "id"]),
    index("developers_inactive", "developers", ["org_id", "inactive", "instant", "id"]),
    index("developers_unworded", "developers", ["org_id", "id"]).where(sql<boolean>`worded = 0`),
    table("developer_words", ["org_id", "word", "id"], ["org_id", "word", "id"], "clustered"),
    index("developer_words_id", "developer_words", ["org_id", "id"]),

    // A deleted plan stays as a tombstone: keys that have it must find it closed, not lifted. Its
    // name is free.
    table(
      "plans",
      ["org_id", "id", "name", "auth_type", "date_created", "document", "deleted_at?"],
      ["org_id", "id"],
    ),
    index("plans_name", "plans", ["org_id", "name"])
      .unique().where(sql<boolean>`deleted_at is null`),
    index("plans_newest", "plans", ["org_id", "date_created", "id"])
      .where(sql<boolean>`deleted_at is null`),
    table("catalogues", ["org_id", "id", "email", "revision#"], ["org_id"]),
    table(
      "catalogue_entries",
      ["org_id", "position#", "api_id", "policy_id", "document"],
      ["org_id", "position"],
    ),
    index("catalogue_entries_policy", "catalogue_entries", ["org_id", "policy_id", "position"]),
    table("portal_configurations", ["org_id", "id", "document"], ["org_id"]),
  ];
}

function credentials(table: TableMaker, index: IndexMaker): Compilable[] {
  const of = (name: string, columns: string[]) => index(name, "credentials", columns);
  return [
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
        "expires_at?",
        "state_changed_at?",
        "state_reason?",
        "replaced_by?",
        "use_before?",
        "algorithm=sha256",
        "imported_as?",
      ],
      ["org_id", "key_id"],
    ),
    // A client presents its id without saying whose it is.
    of("credentials_oauth", ["key_id"]).where(sql<boolean>`kind = 'oauth'`),
    // Newest first within a state: a list of all is the merge of three.
    of("credentials_newest", ["org_id", "state", "issued_at", "key_id"]),
    of("credentials_developer", ["org_id", "developer_id", "state", "issued_at", "key_id"]),
    of("credentials_expiry", ["org_id", "expires_at", "key_id"])
      .where(sql<boolean>`expires_at is not null and state <> 'revoked'`),
    // Small, and empty as soon as every imported key was used or is over.
    of("credentials_murmur", ["org_id", "use_before", "key_id"])
      .where(sql<boolean>`algorithm <> 'sha256'`),
    of("credentials_imported", ["org_id", "imported_as"])
      .where(sql<boolean>`imported_as is not null`),
    table(
      "credential_plans",
      ["org_id", "plan_id", "state", "issued_at", "key_id"],
      ["org_id", "plan_id", "state", "issued_at", "key_id"],
      "clustered",
    ),
    // Apart, because it changes with use, and the credential with decisions.
    table("credential_uses", ["org_id", "key_id", "last_used_at"], ["org_id", "key_id"]),
    // How much of each quota is given out to the nodes that verify.
    table(
      "quota_uses",
      ["org_id", "key_id", "plan_id", "period#", "used#"],
      ["org_id", "key_id", "plan_id", "period"],
      "clustered",
    ),
    table(
      "oauth_tokens",
      ["org_id", "hash", "key_id", "issued_at", "expires_at", "client_id?"],
      ["org_id", "hash"],
    ),
    index("oauth_tokens_expiry", "oauth_tokens", ["expires_at"]),
    index("oauth_tokens_client", "oauth_tokens", ["org_id", "key_id", "issued_at", "hash"]),
  ];
}

function certificates(table: TableMaker, index: IndexMaker): Compilable[] {
  const of = (name: string, columns: string[]) => index(name, "certificates", columns);
  return [
    table(
      "certificates",
      [
        "org_id",
        "fingerprint",
        "position#",
        "kind#",
        "not_before",
        "not_after",
        "subject_key",
        "head",
        "tail",
        "details",
        "search",
      ],
      ["org_id", "fingerprint"],
    ),
    of("certificates_position", ["org_id", "position"]).unique(),
    of("certificates_added", ["org_id", "kind", "position"]),
    // With the other end of the validity, so that counting a status reads the index alone.
    of("certificates_not_after", ["org_id", "kind", "not_after", "position", "not_before"]),
    of("certificates_not_before", ["org_id", "kind", "not_before", "position", "not_after"]),
    of("certificates_subject", ["org_id", "kind", "subject_key", "position"]),
    // The starts of pages of sorted lists, up to step 17.
    table(
      "certificate_blocks",
      ["org_id", "sort", "first_key", "first_position#", "n0#", "n1#", "n2#", "n3#"],
      ["org_id", "sort", "first_key", "first_position"],
      "clustered",
    ),
    // Large and seldom wanted, so apart from what lists read.
    table(
      "certificate_files",
      ["org_id", "fingerprint", "certificate", "chain", "private_key?"],
      ["org_id", "fingerprint"],
    ),
  ];
}

function trail(table: TableMaker, index: IndexMaker): Compilable[] {
  return [
    table(
      "audit_events",
      ["org_id", "id", "at", "actor", "action", "object", "object_id", "detail"],
      ["org_id", "id"],
      "clustered",
    ),
    // The events of one thing, newest first. The audit log as a whole is read by its key.
    index("audit_events_object", "audit_events", ["org_id", "object_id", "id"]),
    table(
      "outbox_events",
      ["org_id", "id", "at", "topic", "object_id"],
      ["org_id", "id"],
      "clustered",
    ),
  ];
}

/** The keys and plans that nodes which verify from memory must read again. */
function invalidations(table: TableMaker, index: IndexMaker): Compilable[] {
  return [
    table("invalidations", ["position#", "org_id", "kind", "object_id", "at"], ["position"]),
    index("invalidations_at", "invalidations", ["at"]),
    // One row: anyone who takes a number holds it until the commit, so that numbers appear in their
    // order.
    table("invalidation_counter", ["id#", "position#"], ["id"]),
  ];
}

/**
 * Texts are in lower case already. `org`, `pk` and `ca` are words of three letters: one trigram
 * each.
 */
const sqliteSearches = [
  `create virtual table certificate_search using fts5(
    text, org, pk, ca, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`,
  `create virtual table key_request_search using fts5(
    text, org, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`,
];

/** Without the extension, a search reads every text of its organisation: right, but slow. */
const postgresSearches = [
  `do $$ begin
    create extension if not exists pg_trgm;
  exception when others then
    raise notice 'pg_trgm is not available: searches will be slow';
  end $$`,
  "create index key_request_positions_org on key_request_positions (org_id, position)",
  // Named with its schema: another store of this database may have made it in its own.
  `do $$ declare place text := (
    select extnamespace::regnamespace::text from pg_extension where extname = 'pg_trgm'
  ); begin
    if place is not null then
      execute format('create index certificates_search on certificates
        using gin (search %s.gin_trgm_ops)', place);
      execute format('create index key_request_positions_text on key_request_positions
        using gin (text %s.gin_trgm_ops)', place);
    end if;
  end $$`,
];
