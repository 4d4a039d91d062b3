import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { type Migration, tableMaker } from "./migration.ts";

/** Steps of the schema, in order; one that has been released never changes. */
export const migrations0034: readonly Migration[] = [
  // Nodes of older code leave jobs to the others.
  { version: 34, name: "jobs", oldestCode: 20, statements: jobsSchema },
  // Older code gives keys no labels, and leaves those that they have.
  { version: 35, name: "key-labels", oldestCode: 20, statements: keyLabelsSchema },
  // Older code shows no views and goes by none of the orders; it leaves views of people that it
  // deactivates.
  { version: 36, name: "views", oldestCode: 20, statements: viewsSchema },
  // Processes of older code are not listed.
  { version: 37, name: "nodes", oldestCode: 20, statements: nodesSchema },
  // An address that older code changes counts as confirmed where it is the first change; it mails
  // links to the live one.
  { version: 38, name: "developer-emails", oldestCode: 20, statements: developerEmailsSchema },
  { version: 39, name: "ended-keys", oldestCode: 20, statements: endedKeysSchema },
  // Older code writes one id of a call, the caller's where it gave one, and leaves these empty.
  {
    version: 40,
    name: "caller-request-ids",
    oldestCode: 20,
    statements: callerRequestIdsSchema,
  },
  // Messages of older code name no one.
  { version: 41, name: "outbox-actors", oldestCode: 20, statements: outboxActorsSchema },
  // A node of older code that works on such a job gives its keys the end of their plans; see
  // docs/upgrading.md.
  { version: 42, name: "ends-of-jobs", oldestCode: 20, statements: endsOfJobsSchema },
  // Older code looks no text up as it was wrapped, and leaves the mark of a key that it gives
  // another id.
  { version: 43, name: "chosen-keys", oldestCode: 20, statements: chosenKeysSchema },
  // Older code makes no nonces and gives no one for one.
  { version: 44, name: "sso-nonces", oldestCode: 20, statements: ssoNoncesSchema },
  // Leases of older code end by the clocks of its nodes; what lasts too long counts as one that
  // begins when it is seen.
  { version: 45, name: "one-clock", oldestCode: 20, statements: oneClockSchema },
  // A delivery that waits for a target that recovers by a node of older code is sent at its own
  // time.
  { version: 46, name: "deliver-now", oldestCode: 20, statements: deliverNowSchema },
  // Older code shows the mark of a report that was dismissed, and leaves it so when it comes again.
  { version: 47, name: "dismissed-leaks", oldestCode: 20, statements: dismissedLeaksSchema },
  // Older code reads the same rows by their ids.
  { version: 48, name: "trail-order", oldestCode: 20, statements: trailOrderSchema },
  // Older code answers lists of certificates as the setting says, and rotates without it.
  { version: 49, name: "certs-answer", oldestCode: 20, statements: certsAnswerSchema },
];

/**
 * Many decisions in one job: the job, its rows with what became of each, the links that wait to be
 * fetched, and which node works. Of one person no two jobs are under way.
 */
function jobsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("jobs", [
      "org_id",
      "id",
      "kind",
      "deliver",
      "reason?",
      "selection",
      "at_most#",
      "person",
      "token_id",
      "request_id",
      "started_at",
      "state",
      "why",
      "stopped_by",
      "place",
      "total#",
      "settled#",
      "done#",
      "left_alone#",
      "failed#",
      "ended_at?",
      "expires_at?",
    ], ["org_id", "id"]),
    db.schema.createIndex("jobs_under_way").on("jobs").columns(["org_id", "person"])
      .unique().where(sql<boolean>`ended_at is null`),
    db.schema.createIndex("jobs_over").on("jobs").columns(["expires_at"]),
    table(
      "job_rows",
      [
        "org_id",
        "job_id",
        "n#",
        "request_id",
        "revision",
        "outcome",
        "code",
        "key_id",
        "claim_ends?",
        "at?",
      ],
      ["org_id", "job_id", "n"],
      "clustered",
    ),
    table("job_links", [
      "org_id",
      "id",
      "job_id",
      "n#",
      "link?",
      "expires_at",
    ], ["org_id", "id"]),
    db.schema.createIndex("job_links_of").on("job_links").columns(["org_id", "job_id", "n"]),
    db.schema.createIndex("job_links_over").on("job_links").columns(["expires_at"]),
    table("job_lease", ["id#", "holder", "until"], ["id"]),
  ];
}

/** The names and labels of keys, and the words by which keys are searched. */
function keyLabelsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const table = tableMaker(db, dialect);
  const index = (name: string) => db.schema.createIndex(name).on("credentials");
  return [
    ...["name", "environment", "note", "tags"].map((name) =>
      db.schema.alterTable("credentials").addColumn(name, text)
    ),
    // No state in it: older code changes states, and knows nothing of this table.
    table(
      "credential_labels",
      ["org_id", "kind", "label", "issued_at", "key_id"],
      ["org_id", "kind", "label", "issued_at", "key_id"],
      "clustered",
    ),
    table(
      "credential_words",
      ["org_id", "word", "key_id"],
      ["org_id", "word", "key_id"],
      "clustered",
    ),
    index("credentials_mask").columns(["org_id", "mask", "key_id"]),
    // Not by the organisation first: SQLite would take it for whatever goes by that alone.
    index("credentials_mask_end").expression(sql`(substr(mask, length(mask) - 3))`)
      .columns(["org_id", "key_id"]),
  ];
}

/** Saved views of lists, the columns that each person chose, and indexes of further orders. */
function viewsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const index = (name: string, of: string) => db.schema.createIndex(name).on(of);
  return [
    table("views", [
      "org_id",
      "id",
      "list",
      "name",
      "owner",
      "shared#",
      "query",
      "columns?",
      "created_at",
      "changed_at",
    ], ["org_id", "id"]),
    index("views_owner", "views").columns(["org_id", "owner"]),
    index("views_shared", "views").columns(["org_id"]).where(sql<boolean>`shared = 1`),
    table("list_columns", ["org_id", "user_id", "list", "columns"], ["org_id", "user_id", "list"]),
    // Keys without an end stand together, oldest first.
    index("credentials_ends", "credentials")
      .columns(["org_id", "state", "expires_at", "issued_at", "key_id"]),
    index("key_requests_by_issue", "key_requests").columns(["org_id", "issued_at", "id"])
      .where(sql<boolean>`state = 'issued'`),
    index("key_requests_by_decline", "key_requests").columns(["org_id", "decided_at", "id"])
      .where(sql<boolean>`state = 'declined'`),
    index("developers_by_email", "developers").columns(["org_id", "inactive", "email_key", "id"]),
  ];
}

/** The processes that serve a store which several of them may reach. */
function nodesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const columns = ["id", "name", "version", "started_at", "seen_at", "stale_ms#"];
  return [tableMaker(db, dialect)("nodes", columns, ["id"])];
}

/**
 * Whether a developer's address was confirmed since it changed, the links that ask for that, and
 * the address that a claim was made for. A developer without a row has the address that they always
 * had.
 */
function developerEmailsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string) => db.schema.createIndex(name).on("email_links");
  return [
    db.schema.alterTable("claims").addColumn("email", text),
    table("developer_emails", [
      "org_id",
      "id",
      "state",
      "cause",
      "address",
      "previous",
      "changed_at",
      "changed_by",
      "asked_at",
    ], ["org_id", "id"]),
    table(
      "email_links",
      ["org_id", "id", "developer_id", "side", "hash", "link?", "expires_at"],
      ["org_id", "id"],
    ),
    index("email_links_hash").column("hash").unique(),
    index("email_links_developer").columns(["org_id", "developer_id"]),
    index("email_links_end").columns(["expires_at"]),
  ];
}

/**
 * Keys that were ended and developers who were deleted, as long as they can be brought back, and
 * how many keys each access token ended of late. Older code lets all of it lie: to it a key that
 * was ended is revoked.
 */
function endedKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
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

/**
 * A call has an id of ours, and beside it the one that its caller gave. Rows that are there, and
 * rows of earlier code, have one id, which is the caller's where it gave any; messages of earlier
 * code have none.
 */
function callerRequestIdsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const added = (table: string, column: string) =>
    db.schema.alterTable(table).addColumn(column, text, (c) => c.notNull().defaultTo(sql.lit("")));
  return [
    added("audit_events", "caller_request_id"),
    added("jobs", "caller_request_id"),
    added("leak_reports", "caller_request_id"),
    added("outbox_events", "request_id"),
    added("outbox_events", "caller_request_id"),
  ];
}

/** A message says who made its change. Those there already, and earlier code's, do not. */
function outboxActorsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("outbox_events")
      .addColumn("actor", text, (c) => c.notNull().defaultTo(sql.lit(""))),
  ];
}

/** A job that approves says when its keys end; null, as those so far: when their plans say. */
function endsOfJobsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("jobs").addColumn("key_expires_at", text)];
}

/**
 * By which function a key's text may have been wrapped where it came from; null: by none, or no one
 * knows.
 */
function chosenKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("credentials").addColumn("wrapped_by", text),
    db.schema.createIndex("credentials_wrapped").on("credentials")
      .columns(["org_id", "wrapped_by"]).where(sql<boolean>`wrapped_by is not null`),
  ];
}

/** Nonces by which an identity broker and a portal sign a developer in, each for a minute. */
function ssoNoncesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  return [
    tableMaker(db, dialect)(
      "sso_nonces",
      ["org_id", "hash", "id", "email_key", "created_at", "expires_at"],
      ["org_id", "hash"],
    ),
    db.schema.createIndex("sso_nonces_over").on("sso_nonces").columns(["expires_at"]),
  ];
}

/**
 * A process says how far its clock is ahead of the store's; those of earlier code do not. The sends
 * of a node are found by their right's end, so that one is found which no clock of ours gave.
 */
function oneClockSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("nodes").addColumn("ahead_ms", integer),
    db.schema.createIndex("deliveries_held").on("deliveries").columns(["due_at"])
      .where(sql<boolean>`holder <> ''`),
  ];
}

/** A target that takes messages again says until when what waits for it is to be due. */
function deliverNowSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("delivery_targets").addColumn("wake_by", text)];
}

/**
 * The person who marked a leak report as a false positive, and when; null: none did. Leaks are
 * listed by when they were reported.
 */
function dismissedLeaksSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("leaks").addColumn("dismissed_at", text),
    db.schema.alterTable("leaks").addColumn("dismissed_by", text),
    db.schema.createIndex("leaks_newest").on("leaks")
      .columns(["org_id", "object", "reported_at", "object_id"]),
  ];
}

/**
 * The audit log is read in the order of its own log, as a whole and of one thing; what waits for
 * the log by its time.
 */
function trailOrderSchema(db: QueryBuilder, _: Dialect): Compilable[] {
  const index = (name: string, ...columns: string[]) =>
    db.schema.createIndex(name).on("audit_events").columns(["org_id", ...columns]);
  return [
    index("audit_events_logged", "leaf_index", "id").where(sql<boolean>`leaf_index is not null`),
    index("audit_events_object_logged", "object_id", "leaf_index", "id")
      .where(sql<boolean>`leaf_index is not null`),
    index("audit_events_unlogged", "at", "id").where(sql<boolean>`leaf_index is null`),
  ];
}

/** How lists of certificates read to an access token; null, as so far: as the setting says. */
function certsAnswerSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("access_tokens").addColumn("certs_answer", text)];
}
