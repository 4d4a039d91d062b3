import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { type Migration, tableMaker } from "./migration.ts";

/** Steps of the schema, in order; one that has been released never changes. */
export const migrations0023: readonly Migration[] = [
  // Older code neither takes reports nor shows marks.
  { version: 23, name: "leaks", oldestCode: 20, statements: leaksSchema },
  // Nodes of older code go on purging by their clocks.
  { version: 24, name: "purge-clock", oldestCode: 20, statements: purgeClockSchema },
  // Older code finds the same rows by it.
  { version: 25, name: "pending-by-plan", oldestCode: 20, statements: pendingByPlanSchema },
  // Changes of older code are reported to no target; a replay reports them.
  { version: 26, name: "deliveries", oldestCode: 20, statements: deliveriesSchema },
  // Older code makes deliveries without recipients, which are made anew for each before they are
  // sent.
  { version: 27, name: "mail", oldestCode: 20, statements: mailSchema },
  // Certificates that older code adds wait for their names; it tells no one of ends.
  { version: 28, name: "alerts", oldestCode: 20, statements: alertsSchema },
  // Older code finds the same rows by it.
  {
    version: 29,
    name: "listed-certificates",
    oldestCode: 20,
    statements: listedCertificatesSchema,
  },
  // Older code imports nothing from another system.
  { version: 30, name: "imports", oldestCode: 20, statements: importsSchema },
  // Older code shows no brand.
  { version: 31, name: "branding", oldestCode: 20, statements: brandingSchema },
  // Older code names no sources, and checks passwords that it finds by their e-mail address.
  { version: 32, name: "other-sources", oldestCode: 20, statements: otherSourcesSchema },
  // Older code counts into the same table.
  { version: 33, name: "busiest", oldestCode: 20, statements: busiestSchema },
];

/**
 * Reports of leaked keys and access tokens that wait to be worked off, and what was found to have
 * leaked.
 */
function leaksSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "leak_reports",
      [
        "hash",
        "name_hash",
        "secret_hash",
        "at",
        "reported_by",
        "url",
        "request_id",
        "client_address",
      ],
      ["hash"],
    ),
    table(
      "leaks",
      ["org_id", "object", "object_id", "action", "reported_at", "reported_by", "url"],
      ["org_id", "object", "object_id"],
    ),
  ];
}

/** The time by which is purged, which a clock that jumps does not move. */
function purgeClockSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  return [tableMaker(db, dialect)("purge_clock", ["id#", "until#"], ["id"])];
}

/**
 * A developer's undecided requests by plan, in one index: anyone who asks for a plan's asks for
 * undecided ones alone.
 */
function pendingByPlanSchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.dropIndex("key_requests_by_user"),
    db.schema.dropIndex("key_requests_pending"),
    db.schema.createIndex("key_requests_pending").on("key_requests")
      .columns(["org_id", "by_user", "for_plan"]).where(sql<boolean>`state = 'pending'`),
  ];
}

/**
 * The targets of changes, and the fate of each message. Rows of the outbox get the order in which
 * they were made, if there is a target, and a mark once they were fanned out.
 */
function deliveriesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
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
    ...deliveryIndexes(db),
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

/** The pick of what is due, the line of each object, and what the lists and the purger look for. */
function deliveryIndexes(db: QueryBuilder): Compilable[] {
  return [
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

/**
 * The tables of mails: the addresses of people, the recipients of a delivery, links of claims that
 * wait to be mailed, and how many mails an address got lately.
 */
function mailSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("users").addColumn("email", text),
    db.schema.alterTable("deliveries")
      .addColumn("recipient", text, (c) => c.notNull().defaultTo(sql.lit(""))),
    // The deliveries that are gathered into one mail.
    db.schema.createIndex("deliveries_recipient").on("deliveries")
      .columns(["org_id", "target_id", "recipient", "position"])
      .where(sql<boolean>`line = 1 and recipient <> ''`),
    table("claim_links", ["org_id", "id", "request_id", "link?", "expires_at"], ["org_id", "id"]),
    db.schema.createIndex("claim_links_request").on("claim_links").columns([
      "org_id",
      "request_id",
    ]),
    db.schema.createIndex("claim_links_end").on("claim_links").columns(["expires_at"]),
    table("mail_counts", ["org_id", "address", "sent", "expires_at"], ["org_id", "address"]),
    db.schema.createIndex("mail_counts_end").on("mail_counts").columns(["expires_at"]),
  ];
}

/**
 * The alerts before certificates and keys expire: the owners of certificates, how far each
 * organisation's alerts have come, and the fate of the newest of each object. Messages of the
 * outbox may say more than their ids.
 */
function alertsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const column = (name: string, on: string) => db.schema.alterTable(on).addColumn(name, "text");
  return [
    column("names", "certificates"),
    column("owner", "certificates"),
    column("tags", "certificates"),
    column("detail", "outbox_events"),
    // The newest of the same names, and those that earlier code added without theirs.
    db.schema.createIndex("certificates_names").on("certificates")
      .columns(["org_id", "names", "not_after", "fingerprint"])
      .where(sql<boolean>`names <> ''`),
    db.schema.createIndex("certificates_unnamed").on("certificates")
      .columns(["org_id", "fingerprint"]).where(sql<boolean>`names is null`),
    table("alert_settings", ["org_id", "days", "at_end#"], ["org_id"]),
    table("alert_progress", ["org_id", "object", "days#", "ends_at", "tie"], [
      "org_id",
      "object",
      "days",
    ]),
    table("alerts", [
      "org_id",
      "object",
      "object_id",
      "days#",
      "ends_at",
      "at",
      "outcome",
      "reason",
      "event_id",
      "expires_at",
    ], ["org_id", "object", "object_id"]),
    db.schema.createIndex("alerts_over").on("alerts").columns(["expires_at"]),
    table("alert_mutes", [
      "org_id",
      "object",
      "object_id",
      "reason",
      "muted_by",
      "muted_at",
      "expires_at",
    ], ["org_id", "object", "object_id"]),
    db.schema.createIndex("alert_mutes_over").on("alert_mutes").columns(["expires_at"]),
    table("alert_lease", ["id#", "holder", "until"], ["id"]),
  ];
}

/**
 * The columns of lists without details, in the order of addition: rows are six times as large, and
 * most of their pages would be read for nothing. PostgreSQL takes no entries as long as those of
 * certificates with very many names.
 */
function listedCertificatesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  if (dialect === "postgres") return [];
  return [
    // Of every certificate; only statements that say so go by it, since SQLite would take it for
    // any that go by position.
    db.schema.createIndex("certificates_listed").on("certificates")
      .columns(["org_id", "position", "kind", "fingerprint", "head", "tail"])
      .where(sql<boolean>`kind >= 0`),
  ];
}

/**
 * The objects imported from another system: each with two digests, the differences, and how far
 * each kind came.
 */
function importsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "imports",
      ["org_id", "kind", "source", "began_at", "ended_at?", "seen#", "others#", "dropped"],
      ["org_id", "kind"],
    ),
    table(
      "imported_objects",
      ["org_id", "kind", "id", "there", "here"],
      ["org_id", "kind", "id"],
      "clustered",
    ),
    table(
      "import_findings",
      ["org_id", "kind", "id", "code", "detail"],
      ["org_id", "kind", "id", "code"],
      "clustered",
    ),
  ];
}

/**
 * The branding of an organisation for people outside: a row for each that has any. Claims are found
 * by the things that they hand over.
 */
function brandingSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("branding", ["org_id", "document"], ["org_id"]),
    ...["key_id", "request_id"].map((column) =>
      db.schema.createIndex(`claims_${column}`).on("claims")
        .columns(["org_id", column, "created_at", "id"])
        .where(sql<boolean>`${sql.ref(column)} <> ''`)
    ),
  ];
}

/** Which source had what was imported; and what finds passwords that another system hashed. */
function otherSourcesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("imports")
      .addColumn("sources", text, (c) => c.notNull().defaultTo(sql.lit("[{},{}]"))),
    // Of bcrypt's hashes alone, by their cost. Each log-in replaces one.
    db.schema.createIndex("developers_foreign_password").on("developers").columns(["org_id"])
      .expression(sql`substr(password_hash, 5, 2)`).where(sql<boolean>`password_hash < '$3'`),
  ];
}

/**
 * Of each day the plans and keys with the most calls first. By the number of the day: sums of one
 * thing go by its hours, and would be tempted to walk the whole organisation's.
 */
function busiestSchema(db: QueryBuilder): Compilable[] {
  return ["key", "plan"].map((kind) => ({
    compile: () =>
      sql`create index ${sql.ref(`usage_days_busiest_${kind}s`)} on usage_days
        (org_id, (begins / 24), success, object_id) where kind = ${sql.lit(kind)}`.compile(db),
  }));
}
