import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { type Migration, tableMaker } from "./migration.ts";

/** Steps of the schema, in order; one that has been released never changes. */
export const migrations0013: readonly Migration[] = [
  // Words that older code does not know grant nothing there; its own rule holds on its nodes while
  // they run.
  { version: 13, name: "plans-permission", oldestCode: 10, statements: plansPermissionSchema },
  // Older code would find plans by one of their ids alone, and refuse keys that name the other.
  { version: 14, name: "plan-ids", oldestCode: 14, statements: planIdsSchema },
  // Older code neither counts nor looks.
  { version: 15, name: "usage", oldestCode: 14, statements: usageSchema },
  // Developers that older code registers wait for their hashes, like those that were there; it
  // counts a quota that was reset from the key's issue on.
  { version: 16, name: "portal-companions", oldestCode: 14, statements: portalCompanionsSchema },
  // Code before it would add certificates without counting them by their end.
  { version: 17, name: "certificate-ends", oldestCode: 17, statements: certificateEndsSchema },
  // Older code writes rows of the audit log without what it does not know; it redeems no one-time
  // link of an access token.
  { version: 18, name: "trail", oldestCode: 17, statements: trailSchema },
  // On nodes of older code sessions have no idle end; developers that it registers wait to be
  // folded.
  { version: 19, name: "sessions-and-limits", oldestCode: 17, statements: sessionsAndLimitsSchema },
  // Code before it would let in who is suspended, and access tokens from outside of their
  // addresses.
  { version: 20, name: "access-tokens", oldestCode: 20, statements: accessTokensSchema },
  // Rows that older code writes carry no hash; they are taken into the log as such.
  { version: 21, name: "provable-trail", oldestCode: 20, statements: provableTrailSchema },
  // Older code writes rows without checksums, which count until they are demanded: see
  // CHECKSUMS_DEMANDED.
  { version: 22, name: "checksums", oldestCode: 20, statements: checksumsSchema },
];

/**
 * Lets administrators go on changing plans and reading the audit log, which have permissions of
 * their own from here on. No other access token gains anything: one with a narrower scope stays as
 * narrow as it is.
 */
function plansPermissionSchema(db: QueryBuilder): Compilable[] {
  const administers = (column: string) => sql`' ' || ${sql.ref(column)} || ' ' like '% admin %'`;
  return [
    // A scope counts as far as its person holds it, so it goes first and looks at both.
    {
      compile: () =>
        sql`update access_tokens set scope = scope || ' plans audit'
          where ${administers("scope")} and exists (
            select 1 from users u where u.org_id = access_tokens.org_id
              and u.id = access_tokens.user_id and ${administers("u.permissions")})`.compile(db),
    },
    {
      compile: () =>
        sql`update users set permissions = permissions || ' plans audit'
          where ${administers("permissions")}`.compile(db),
    },
  ];
}

/**
 * The two ids of a plan, in one space. `plans.id` is 24 hex from here on: a plan with another gets
 * one of ours and keeps the old one as `given_id`, by which keys, requests and catalogue go on to
 * name it.
 */
function planIdsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const table = tableMaker(db, dialect);
  // As our ids are made: the second of the creation, then what is random.
  const [isOther, fresh] = dialect === "postgres"
    ? [
      "id !~ '^[0-9a-f]{24}$'",
      `lpad(to_hex(extract(epoch from date_created::timestamptz)::bigint), 8, '0')
        || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16)`,
    ]
    : [
      "length(id) <> 24 or id glob '*[^0-9a-f]*'",
      "printf('%08x', unixepoch(date_created)) || lower(hex(randomblob(8)))",
    ];
  return [
    db.schema.alterTable("plans")
      .addColumn("given_id", text, (column) => column.notNull().defaultTo(sql.lit(""))),
    raw(db, "update plans set given_id = id"),
    raw(db, `update plans set id = ${fresh} where ${isOther}`),
    table("plan_ids", ["org_id", "id", "plan_id"], ["org_id", "id"], "clustered"),
    raw(db, "insert into plan_ids (org_id, id, plan_id) select org_id, id, id from plans"),
    raw(
      db,
      `insert into plan_ids (org_id, id, plan_id)
        select org_id, given_id, id from plans where given_id <> id`,
    ),
    // The used part of a quota's period is counted by the plan, whichever of its ids a key names.
    raw(
      db,
      `update quota_uses set plan_id = (select i.plan_id from plan_ids i
          where i.org_id = quota_uses.org_id and i.id = quota_uses.plan_id)
        where exists (select 1 from plan_ids i where i.org_id = quota_uses.org_id
          and i.id = quota_uses.plan_id and i.plan_id <> quota_uses.plan_id)`,
    ),
  ];
}

function raw(db: QueryBuilder, text: string): Compilable {
  return { compile: () => sql.raw(text).compile(db) };
}

/** How often keys were used, by hour and by day. */
function usageSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const counts = ["usage_hours", "usage_days"].flatMap((name) => [
    table(
      name,
      [
        "org_id",
        "kind",
        "object_id",
        "begins#",
        "plan_id",
        "api_id",
        "success#",
        "error_401#",
        "error_403#",
        "error_429#",
        "last_hit",
      ],
      ["org_id", "kind", "object_id", "begins", "plan_id", "api_id"],
      "clustered",
    ),
    // Rows that are too old are found by their age, in any organisation: with org_id first, sums
    // would walk this too.
    db.schema.createIndex(`${name}_age`).on(name).column("begins"),
  ]);
  // Keys whose counts are to go, which may be too many for one transaction.
  const erasures = table("usage_erasures", ["org_id", "key_id"], ["org_id", "key_id"], "clustered");
  return [...counts, erasures];
}

/**
 * By what developers are found who sign in through an identity provider, and documents of the
 * catalogue. Hashes can only be made where sealed values open, so anyone who is there already waits
 * for them: `sso_key_hash` is null.
 */
function portalCompanionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string) => db.schema.createIndex(name).on("developers");
  return [
    db.schema.alterTable("developers").addColumn("sso_key_hash", text),
    // The id of a developer with an sso_key that another one had before the keys were
    // distinguished; else empty.
    db.schema.alterTable("developers")
      .addColumn("sso_key_shared", text, (c) => c.notNull().defaultTo(sql.lit(""))),
    index("developers_sso_key").columns(["org_id", "sso_key_hash", "sso_key_shared"]).unique()
      .where(sql<boolean>`sso_key_hash <> ''`),
    index("developers_sso_key_waiting").columns(["org_id", "id"])
      .where(sql<boolean>`sso_key_hash is null and secrets is not null`),
    index("developers_sso_key_shared").columns(["org_id", "id"])
      .where(sql<boolean>`sso_key_shared <> ''`),

    // When a key's quotas were last reset: their periods are counted from there.
    db.schema.alterTable("credentials").addColumn("quota_from", text),

    // Of the requests that name a certificate, which are few.
    db.schema.createIndex("key_requests_certificate").on("key_requests").columns(["org_id", "id"])
      .where(
        dialect === "postgres"
          ? sql<boolean>`strpos(tail, '"certificate":""') = 0`
          : sql<boolean>`instr(tail, '"certificate":""') = 0`,
      ),

    table(
      "portal_documents",
      ["org_id", "id", "api_id", "doc_type", "documentation", "date_created"],
      ["org_id", "id"],
    ),
  ];
}

/**
 * Certificates are counted by the end of their validity as other lists are, in place of the blocks
 * that earlier code kept. It goes through all certificates, five times.
 */
function certificateEndsSchema(db: QueryBuilder): Compilable[] {
  // All, year, month, day, hour: see certificate-counts.store.ts.
  const levels = [0, 4, 7, 10, 13].map((length, level) => ({
    compile: () =>
      sql`insert into list_counts (org_id, list, level, bucket, shard, n)
        select org_id, 'certificate_ends/' || kind, ${sql.lit(level)},
          substr(not_after, 1, ${sql.lit(length)}), 0, count(*)
        from certificates group by org_id, kind, substr(not_after, 1, ${sql.lit(length)})`
        .compile(db),
  }));
  return [...levels, db.schema.dropTable("certificate_blocks")];
}

/**
 * The audit log names the call of each change and keeps personal data apart; access tokens say who
 * issued them for another person, and one-time links may hand one over. Present rows, and rows of
 * earlier code, have none of it.
 */
function trailSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const added = (table: string, column: string, value = "") =>
    db.schema.alterTable(table)
      .addColumn(column, text, (c) => c.notNull().defaultTo(sql.lit(value)));
  return [
    added("audit_events", "token_id"),
    added("audit_events", "session"),
    added("audit_events", "request_id"),
    added("audit_events", "client_address"),
    added("audit_events", "personal", "{}"),
    added("access_tokens", "issued_by"),
    added("claims", "access_token_id"),
  ];
}

/**
 * When sessions were used, and by which browser; how developers' addresses read when they are
 * folded; and an index of what waits of one developer. No row is written: null means that no one
 * has looked yet.
 */
function sessionsAndLimitsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, table: string) => db.schema.createIndex(name).on(table);
  return [
    // Null: not since it began.
    db.schema.alterTable("sessions").addColumn("last_used_at", text),
    db.schema.alterTable("sessions").addColumn("browser", text),
    index("sessions_user", "sessions").columns(["org_id", "user_id", "created_at", "id"]),

    // The address folded, where that is another text than email_key.
    db.schema.alterTable("developers").addColumn("email_folded", text),
    // The id of a developer whose address another one had, folded, before they were compared so;
    // else empty.
    db.schema.alterTable("developers")
      .addColumn("email_shared", text, (c) => c.notNull().defaultTo(sql.lit(""))),
    index("developers_email_folded", "developers")
      .columns(["org_id"]).expression(sql`coalesce(email_folded, email_key)`)
      .column("email_shared").unique().where(sql<boolean>`email_key <> ''`),
    index("developers_email_waiting", "developers").columns(["org_id", "id"])
      .where(
        dialect === "postgres"
          ? sql<boolean>`email_folded is null and email_key ~ '[^ -~]'`
          : sql<boolean>`email_folded is null and email_key glob '*[^ -~]*'`,
      ),
    index("developers_email_shared", "developers").columns(["org_id", "id"])
      .where(sql<boolean>`email_shared <> ''`),

    index("key_requests_pending", "key_requests").columns(["org_id", "by_user"])
      .where(sql<boolean>`state = 'pending'`),
  ];
}

/**
 * Access tokens that open something from some addresses alone, their last use, and people who are
 * suspended.
 */
function accessTokensSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const added = (name: string, column: string) =>
    db.schema.alterTable(name).addColumn(column, text);
  return [
    added("users", "suspended_at"),
    added("access_tokens", "addresses"),
    // Of those that will end, which are warned of before.
    db.schema.createIndex("access_tokens_end").on("access_tokens")
      .columns(["org_id", "expires_at", "id"])
      .where(sql<boolean>`expires_at is not null and revoked_at is null and replaced_by is null`),
    // Apart, so that a use never waits for a change.
    table(
      "access_token_uses",
      ["org_id", "token_id", "last_used_at", "address?"],
      ["org_id", "token_id"],
    ),
  ];
}

/**
 * Hashes of the audit log's rows, and the log of each organisation that they go into. Present rows
 * go in later, in the background: their log knows the highest id of them.
 */
function provableTrailSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
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

/**
 * A checksum in each row that decides who gets in, what was found damaged, and how far the scrub
 * is. Rows of earlier code have none, and its changes leave the one that was there: such rows count
 * until they are demanded.
 */
function checksumsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const checked = (name: string) => db.schema.alterTable(name).addColumn("checksum", text);
  return [
    checked("access_tokens"),
    checked("credentials"),
    checked("users"),
    table(
      "scrubs",
      ["id#", "place", "round_at", "rows#", "rounds#", "held_by", "held_until"],
      ["id"],
    ),
    table("damages", ["org_id", "object", "object_id", "found_at", "what"], [
      "org_id",
      "object",
      "object_id",
    ]),
    query(
      sql`insert into scrubs (id, place, round_at, rows, rounds, held_by, held_until)
      values (1, '', '', 0, 0, '', '')`,
      db,
    ),
  ];
}

function query(one: ReturnType<typeof sql>, db: QueryBuilder): Compilable {
  return { compile: () => one.compile(db) };
}
