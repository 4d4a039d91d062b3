import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { type Migration, tableMaker } from "./migration.ts";

/** Steps of the schema, in order; one that has been released never changes. */
export const migrations0050: readonly Migration[] = [
  // Older code signs no developer in, and verifies no address.
  { version: 50, name: "developer-sign-in", oldestCode: 20, statements: developerSignInSchema },
  // Older code lets no developer suspend or resume, and leaves the row of what it resumes.
  { version: 51, name: "own-suspensions", oldestCode: 20, statements: ownSuspensionsSchema },
  // Older code mails as if no one had chosen anything, and removes invitations that are withdrawn.
  { version: 52, name: "developer-mails", oldestCode: 20, statements: developerMailsSchema },
  // Older code lets no one in by invitation or passkey, and goes on taking access tokens of people
  // who are to sign in without; it lists what a person's passkeys stand for among their tokens.
  { version: 53, name: "people-sign-in", oldestCode: 20, statements: peopleSignInSchema },
  // Older code counts denied calls without their reason, keeps no single denied call, and counts
  // for no gateway.
  { version: 54, name: "refusals", oldestCode: 20, statements: refusalsSchema },
  // Older code takes the link of a person who only wants to see for one of a portal's back end, and
  // their session for one that asks and withdraws.
  { version: 55, name: "developer-views", oldestCode: 20, statements: developerViewsSchema },
  // Older code does not find keys with conditions, nor their OAuth clients and tokens: they open
  // nothing there. Of an offer it knows nothing, and approves its request as it was asked.
  { version: 56, name: "conditions", oldestCode: 20, statements: conditionsSchema },
  // Older code lets no one in by a company's provider, and takes a session that one began for as
  // fresh as any other.
  { version: 57, name: "identities", oldestCode: 20, statements: identitiesSchema },
  { version: 58, name: "silent-doors", oldestCode: 20, statements: silentDoorsSchema },
  { version: 59, name: "codes-of-sign-ups", oldestCode: 20, statements: codesOfSignUpsSchema },
  // Older code approves a request for a later end as one that leaves its key as it is.
  { version: 60, name: "later-ends", oldestCode: 20, statements: laterEndsSchema },
  // Older code asks for no signature, whatever is set: the setting waits until no such node serves.
  { version: 61, name: "signed-approvals", oldestCode: 20, statements: signedApprovalsSchema },
];

/**
 * Developers sign in: what their pages are set to, codes, links, sessions, tokens, invitations;
 * which password is theirs, and which address.
 */
function developerSignInSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table("developer_pages", ["org_id", "host?", "document"], ["org_id"]),
    index("developer_pages_host", "developer_pages", ["host"]).unique(),

    table(
      "developer_sessions",
      [
        "org_id",
        "id",
        "hash",
        "developer_id",
        "opened_by",
        "opens",
        "token_id",
        "proved_at?",
        "browser?",
        "created_at",
        "last_used_at?",
        "expires_at",
      ],
      ["org_id", "id"],
    ),
    index("developer_sessions_hash", "developer_sessions", ["hash"]).unique(),
    index("developer_sessions_of", "developer_sessions", ["org_id", "developer_id"]),
    index("developer_sessions_over", "developer_sessions", ["expires_at"]),

    table(
      "developer_codes",
      [
        "org_id",
        "id",
        "ticket",
        "hash",
        "purpose",
        "email",
        "email_key",
        "asked_from",
        "developer_id",
        "session_id",
        "code?",
        "tries#",
        "created_at",
        "expires_at",
      ],
      ["org_id", "id"],
    ),
    index("developer_codes_ticket", "developer_codes", ["ticket"]).unique(),
    index("developer_codes_email", "developer_codes", ["org_id", "email_key", "created_at"]),
    index("developer_codes_over", "developer_codes", ["expires_at"]),
    ...developerLinksSchema(db, dialect),
  ];
}

/** Links, tokens and invitations of developers. */
function developerLinksSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table(
      "developer_links",
      ["org_id", "hash", "id", "developer_id", "token_id", "created_at", "expires_at"],
      ["org_id", "hash"],
    ),
    index("developer_links_hash", "developer_links", ["hash"]).unique(),
    index("developer_links_over", "developer_links", ["expires_at"]),

    table(
      "developer_tokens",
      [
        "org_id",
        "id",
        "hash",
        "developer_id",
        "name",
        "scope",
        "created_at",
        "last_used_at?",
        "expires_at",
      ],
      ["org_id", "id"],
    ),
    index("developer_tokens_hash", "developer_tokens", ["hash"]).unique(),
    index("developer_tokens_of", "developer_tokens", ["org_id", "developer_id"]),
    index("developer_tokens_over", "developer_tokens", ["expires_at"]),

    table(
      "developer_invitations",
      ["org_id", "id", "email", "email_key", "invited_by", "created_at", "expires_at"],
      ["org_id", "id"],
    ),
    index("developer_invitations_email", "developer_invitations", ["org_id", "email_key"]).unique(),
    index("developer_invitations_over", "developer_invitations", ["expires_at"]),

    table(
      "verified_emails",
      ["org_id", "id", "email_key", "address", "verified_at"],
      ["org_id", "id"],
    ),
    db.schema.alterTable("developers").addColumn("own_password", text),
    db.schema.alterTable("sso_nonces").addColumn("token_id", text),
  ];
}

/** Which suspended keys were suspended by their own developers. */
function ownSuspensionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  return [tableMaker(db, dialect)("own_suspensions", ["org_id", "key_id"], ["org_id", "key_id"])];
}

/**
 * The mails of developers, and their language; the notices of quotas; the state of invitations. A
 * developer without a choice has no row.
 */
function developerMailsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    tableMaker(db, dialect)(
      "developer_choices",
      ["org_id", "id", "language", "quota_mails#", "end_mails#"],
      ["org_id", "id"],
    ),
    db.schema.alterTable("quota_uses").addColumn("told", text),
    db.schema.alterTable("developer_invitations").addColumn("ended_as", text),
    db.schema.alterTable("developer_invitations").addColumn("ended_at", text),
    db.schema.alterTable("developer_codes")
      .addColumn("language", text, (c) => c.notNull().defaultTo(sql.lit(""))),
  ];
}

/**
 * People sign in by invitation and by passkey: their invitations, passkeys and spent challenges,
 * what an organisation offers, from where each has signed in, and how a session began.
 */
function peopleSignInSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table(
      "person_invitations",
      ["org_id", "id", "hash", "link?", "invited_by", "created_at", "expires_at"],
      ["org_id", "id"],
    ),
    index("person_invitations_hash", "person_invitations", ["hash"]).unique(),
    index("person_invitations_over", "person_invitations", ["expires_at"]),

    table(
      "passkeys",
      [
        "org_id",
        "id",
        "user_id",
        "handle",
        "rp_id",
        "name",
        "public_key?",
        "counter#",
        "created_at",
        "last_used_at?",
      ],
      ["org_id", "id"],
    ),
    index("passkeys_handle", "passkeys", ["handle"]).unique(),
    index("passkeys_of", "passkeys", ["org_id", "user_id"]),

    table("passkey_challenges", ["org_id", "hash", "expires_at"], ["org_id", "hash"]),
    index("passkey_challenges_over", "passkey_challenges", ["expires_at"]),

    table("sign_in_rules", ["org_id", "tokens#"], ["org_id"]),
    table("sign_in_domains", ["org_id", "domain"], ["domain"]),
    index("sign_in_domains_of", "sign_in_domains", ["org_id", "domain"]),

    table(
      "sign_in_places",
      ["org_id", "id", "user_id", "browser", "address", "created_at", "last_used_at", "expires_at"],
      ["org_id", "user_id", "id"],
    ),
    index("sign_in_places_over", "sign_in_places", ["expires_at"]),

    db.schema.alterTable("sessions").addColumn("opened_by", text),
    db.schema.alterTable("sessions").addColumn("address", text),
  ];
}

const REASONS = [
  "unknown",
  "revoked",
  "suspended",
  "damaged",
  "expired",
  "unknown_plan",
  "plan_inactive",
  "wrong_api",
  "address",
  "address_unknown",
  "over_rate",
  "over_quota",
  "unsure",
];

/**
 * Denied calls are counted by their reason and kept one by one for a while; gateways have names.
 * Present counts have no reason.
 */
function refusalsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const index = (columns: string[]) =>
    db.schema.createIndex(`refusals_by_${columns[0]}`).on("refusals")
      .columns(["org_id", ...columns, "id"]);
  return [
    ...["usage_hours", "usage_days"].flatMap((name) =>
      REASONS.map((reason) => db.schema.alterTable(name).addColumn(`refused_${reason}`, integer))
    ),
    table(
      "refusals",
      [
        "org_id",
        "id",
        "at",
        "reason",
        "door",
        "api_id",
        "plan_id",
        "key_id",
        "developer_id",
        "facts",
        "hash_start",
        "network",
      ],
      ["org_id", "id"],
    ),
    ...["reason", "door", "api_id", "plan_id", "key_id", "developer_id"].map((name) =>
      index([name])
    ),
    table(
      "doors",
      [
        "org_id",
        "id",
        "name",
        "kind",
        "silent_minutes#",
        "created_at",
        "created_by",
        "version",
        "first_call_at?",
        "last_call_at?",
      ],
      ["org_id", "id"],
    ),
    db.schema.createIndex("doors_name").on("doors").columns(["org_id", "name"]).unique(),
  ];
}

/** The people of the organisation who view a developer's pages as that developer. */
function developerViewsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("developer_links").addColumn("viewer", text),
    db.schema.alterTable("developer_sessions").addColumn("viewer", text),
  ];
}

/** The conditions of keys, and the messages, offers and known data of a decision. */
function conditionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const add = (table: string, column: string) =>
    db.schema.alterTable(table).addColumn(column, text);
  return [
    add("credentials", "conditions"),
    add("key_requests", "message"),
    add("key_requests", "granted"),
    add("key_requests", "offer"),
    add("key_requests", "decided_on"),
  ];
}

/**
 * People sign in by their company: identity providers, whose account there is whose here, and what
 * a session has from there.
 */
function identitiesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table(
      "identity_providers",
      ["org_id", "id", "terms?", "created_at", "updated_at"],
      ["org_id", "id"],
    ),
    index("identity_providers_id", "identity_providers", ["id"]).unique(),

    table(
      "person_identities",
      [
        "org_id",
        "id",
        "user_id",
        "provider_id",
        "handle",
        "link?",
        "created_at",
        "last_used_at?",
      ],
      ["org_id", "id"],
    ),
    index("person_identities_handle", "person_identities", ["handle"]).unique(),
    index("person_identities_of", "person_identities", ["org_id", "user_id"]),
    index("person_identities_at", "person_identities", ["org_id", "provider_id"]),

    db.schema.alterTable("sessions").addColumn("identity_id", text),
    db.schema.alterTable("sessions").addColumn("provider_session", text),
    db.schema.alterTable("sessions").addColumn("proved_at", text),
    index("sessions_by_provider", "sessions", ["provider_session"]),
  ];
}

/** Since when a gateway is reported as silent. */
function silentDoorsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("doors").addColumn("told_silent_at", text)];
}

/** How many strangers an organisation mailed codes to is counted by an index. */
function codesOfSignUpsSchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.createIndex("developer_codes_for").on("developer_codes")
      .columns(["org_id", "purpose", "created_at"]),
  ];
}

/** Until when anyone who asks wants their key to live on. */
function laterEndsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("key_requests").addColumn("asked_end", text)];
}

/** Whether an organisation's approvals are signed by a passkey; at first no one's are. */
function signedApprovalsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("sign_in_rules")
      .addColumn("signatures", integer, (c) => c.notNull().defaultTo(sql.lit(0))),
  ];
}
