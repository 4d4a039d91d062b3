import { type Compilable, type RawBuilder, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { type Migration, tableMaker } from "./migration.ts";

/** Steps of the schema, in order; one that has been released never changes. */
export const migrations0062: readonly Migration[] = [
  // Older code lets people link accounts at a developers' provider, and come by them; and it leaves
  // the accounts of a developer whom it deletes.
  {
    version: 62,
    name: "developer-identities",
    oldestCode: 20,
    statements: developerIdentitiesSchema,
  },
  // Older code takes people and access tokens with a role or a scope for damaged: they open nothing
  // there.
  { version: 63, name: "roles", oldestCode: 20, statements: rolesSchema },
  // A key in the place of one whose end was chosen ends by its plans where older code rotates it.
  { version: 64, name: "chosen-ends", oldestCode: 20, statements: chosenEndsSchema },
  // Older code approves a request at once, whatever its policy wants: policies wait until no such
  // node serves.
  { version: 65, name: "approval-policies", oldestCode: 20, statements: approvalPoliciesSchema },
  // If older code uses a quota up, the developer's pages show the day of its last call instead.
  { version: 66, name: "used-up-quotas", oldestCode: 20, statements: usedUpQuotasSchema },
  // Older code shows no one the words, and keeps them.
  { version: 67, name: "added-words", oldestCode: 20, statements: addedWordsSchema },
  // Older code reminds no one.
  { version: 68, name: "reminders", oldestCode: 20, statements: remindersSchema },
  // Older code shows no assignee, and leaves requests to whom it deactivates: newer code shows
  // those as no one's.
  {
    version: 69,
    name: "assigned-requests",
    oldestCode: 20,
    statements: assignedRequestsSchema,
  },
  // Older code shows no comments, and leaves those of requests that it deletes, which no one reads.
  { version: 70, name: "request-comments", oldestCode: 20, statements: requestCommentsSchema },
  // Older code sends no heads, and is no one's witness.
  { version: 71, name: "heads-outside", oldestCode: 20, statements: headsOutsideSchema },
  // Older code asks no one for a code: an organisation asks for one once no such node serves.
  { version: 72, name: "one-time-codes", oldestCode: 20, statements: oneTimeCodesSchema },
  // Older code ends no request: while it alone runs, those that are due wait on.
  { version: 73, name: "ends-of-requests", oldestCode: 20, statements: endsOfRequestsSchema },
  // To older code no one is elevated: rules wait until no such node serves.
  { version: 74, name: "elevations", oldestCode: 20, statements: elevationsSchema },
  // Older code that takes over such a job approves what was asked: none is started while a node of
  // it serves.
  { version: 75, name: "terms-of-jobs", oldestCode: 20, statements: termsOfJobsSchema },
  { version: 76, name: "door-minutes", oldestCode: 20, statements: doorMinutesSchema },
  // Older code promises nothing of what is asked there, and warns no one.
  { version: 77, name: "promises", oldestCode: 20, statements: promisesSchema },
  // Older code knows no one who decides in a person's place.
  { version: 78, name: "delegations", oldestCode: 20, statements: delegationsSchema },
  // Older code that takes over such a job fails on it: none is started while a node of it serves.
  { version: 79, name: "jobs-of-keys", oldestCode: 20, statements: jobsOfKeysSchema },
  // Older code finds the same rows without it, and forgets none.
  { version: 80, name: "elevations-over", oldestCode: 20, statements: elevationsOverSchema },
];

/**
 * Developers sign in by an identity provider of their own: whose account there is whose here, and
 * what a session has from there.
 */
function developerIdentitiesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table(
      "developer_identities",
      [
        "org_id",
        "id",
        "developer_id",
        "provider_id",
        "handle",
        "link?",
        "created_at",
        "last_used_at?",
      ],
      ["org_id", "id"],
    ),
    index("developer_identities_handle", "developer_identities", ["handle"]).unique(),
    index("developer_identities_of", "developer_identities", ["org_id", "developer_id"]),
    index("developer_identities_at", "developer_identities", ["org_id", "provider_id"]),

    db.schema.alterTable("developer_sessions").addColumn("identity_id", text),
    db.schema.alterTable("developer_sessions").addColumn("provider_session", text),
    db.schema.alterTable("developer_sessions").addColumn("seen_at", text),
    index("developer_sessions_by_provider", "developer_sessions", ["provider_session"]),
  ];
}

/** Roles of an organisation's own, who has which role, and of what alone people see and decide. */
function rolesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table("roles", ["org_id", "id", "terms?", "created_at", "updated_at"], ["org_id", "id"]),

    db.schema.alterTable("users").addColumn("role", text),
    db.schema.alterTable("users").addColumn("covers", text),
    index("users_of_role", "users", ["org_id", "role"]).where("role", "is not", null),

    db.schema.alterTable("access_tokens").addColumn("scope_role", text),
    index("access_tokens_of_role", "access_tokens", ["org_id", "scope_role"])
      .where("scope_role", "is not", null),
  ];
}

/** When people said when a key ends, and when they want to look at it again. */
function chosenEndsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const add = (column: string) => db.schema.alterTable("credentials").addColumn(column, text);
  // Texts of ours: no value in them holds these letters.
  const review = dialect === "postgres"
    ? sql`substring(conditions from '"review_at":"([^"]+)"')`
    : sql`case when json_valid(conditions) then json_extract(conditions, '$.review_at') end`;
  return [
    add("end_chosen_at"),
    add("review_at"),
    db.schema.createIndex("credentials_by_review").on("credentials")
      .columns(["org_id", "review_at", "key_id"]).where("review_at", "is not", null),
    asIs(sql`update credentials set end_chosen_at = issued_at where request_id <> '' and exists (
      select 1 from key_requests as r where r.org_id = credentials.org_id
        and r.id = credentials.request_id and r.granted like '%"expires_at":"%')`),
    asIs(sql`update credentials set review_at = ${review} where conditions is not null`),
  ];

  function asIs(query: RawBuilder<unknown>): Compilable {
    return { compile: () => query.compile(db) };
  }
}

/** The approvers of a plan's key requests, and the policy under which a request was filed. */
function approvalPoliciesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    table("approval_policies", ["org_id", "plan", "terms", "updated_at"], ["org_id", "plan"]),
    db.schema.alterTable("key_requests").addColumn("policy", text),
  ];
}

/** Since when a period of a quota is used up. */
function usedUpQuotasSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("quota_uses").addColumn("used_up_at", text)];
}

/** The additions of developers to their waiting requests. */
function addedWordsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("key_requests").addColumn("added_words", text)];
}

/** When anyone who asks reminded those who decide. */
function remindersSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("key_requests").addColumn("reminded_at", text)];
}

/** The assignee of a waiting request, and to whom a job assigns. */
function assignedRequestsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("key_requests").addColumn("assignee", text),
    db.schema.createIndex("key_requests_assigned").on("key_requests")
      .columns(["org_id", "assignee", "instant", "id"])
      .where(sql<boolean>`state = 'pending' and assignee is not null`),
    db.schema.alterTable("jobs").addColumn("assignee", text),
  ];
}

/** The comments of the team on a request. */
function requestCommentsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  return [
    tableMaker(db, dialect)(
      "request_comments",
      [
        "org_id",
        "request_id",
        "id",
        "author",
        "at",
        "words?",
        "mentions",
        "removed_at?",
        "removed_by?",
      ],
      ["org_id", "request_id", "id"],
      "clustered",
    ),
  ];
}

/**
 * The checkpoints of the audit log at others, and those of others that this server keeps as their
 * witness.
 */
function headsOutsideSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("trail_cosigned", ["org_id", "size#", "at", "note"], ["org_id"]),
    table("trail_told", ["org_id", "size#", "at"], ["org_id"]),
    table("witnessed_logs", ["origin", "keys", "size#", "root", "at", "added_at"], ["origin"]),
  ];
}

/**
 * One-time codes of people's apps and their recovery codes, and whether an organisation asks its
 * people for a second factor; at first none does.
 */
function oneTimeCodesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    table(
      "one_time_secrets",
      ["org_id", "id", "secret?", "last_step#", "created_at", "last_used_at?"],
      ["org_id", "id"],
    ),
    table("recovery_codes", ["org_id", "user_id", "hash"], ["org_id", "user_id", "hash"]),
    db.schema.alterTable("sign_in_rules")
      .addColumn("second_factor", integer, (c) => c.notNull().defaultTo(sql.lit(0))),
  ];
}

/** When key requests that wait end by themselves, and when something of that is to be done next. */
function endsOfRequestsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("key_requests").addColumn("expires_at", text),
    db.schema.alterTable("key_requests").addColumn("due_at", text),
    db.schema.createIndex("key_requests_due").on("key_requests")
      .columns(["org_id", "due_at", "id"])
      .where(sql<boolean>`state = 'pending' and due_at is not null`),
  ];
}

/** The people who may have a role for a while, and those who do. */
function elevationsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    table("elevation_rules", ["org_id", "id", "terms?", "created_at", "updated_at"], [
      "org_id",
      "id",
    ]),
    table("elevations", [
      "org_id",
      "id",
      "rule_id",
      "person_id",
      "session_id",
      "state",
      "terms?",
      "asked_at",
      "started_at?",
      "expires_at",
      "seen_at?",
      "confirmed_by?",
      "ended_at?",
      "ended_by?",
      "end_reason?",
      "deeds#=0",
    ], ["org_id", "id"]),
    db.schema.createIndex("elevations_under_way").on("elevations")
      .columns(["org_id", "person_id"]).where(sql.ref("ended_at"), "is", null),
    db.schema.alterTable("sessions").addColumn("elevation_id", text),
  ];
}

/** The terms and messages of a job's approvals, and how many of them were steps. */
function termsOfJobsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("jobs").addColumn("message", text),
    db.schema.alterTable("jobs").addColumn("conditions", text),
    db.schema.alterTable("jobs").addColumn(
      "steps",
      integer,
      (column) => column.notNull().defaultTo(0),
    ),
  ];
}

/** How often a gateway called in its newest minutes. */
function doorMinutesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("doors")
      .addColumn("minutes", text, (c) => c.notNull().defaultTo(sql.lit(""))),
  ];
}

/** Until when a decision is promised, and when the next notice of it is due. */
function promisesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, columns: string[], of: string) =>
    db.schema.createIndex(name).on("key_requests").columns(columns)
      .where(sql<boolean>`state = 'pending' and ${sql.ref(of)} is not null`);
  return [
    db.schema.alterTable("key_requests").addColumn("decide_by", text),
    db.schema.alterTable("key_requests").addColumn("tell_at", text),
    index("key_requests_promised", ["org_id", "decide_by", "id"], "decide_by"),
    index("key_requests_to_tell", ["org_id", "tell_at", "id"], "tell_at"),
  ];
}

/** The people who decide in the place of an absent person. */
function delegationsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("delegations", ["org_id", "person_id", "delegate_id", "until", "created_at"], [
      "org_id",
      "person_id",
    ]),
    db.schema.createIndex("delegations_of_delegate").on("delegations")
      .columns(["org_id", "delegate_id", "person_id"]),
  ];
}

/**
 * The inputs of jobs for other things than key requests, and the state of a row before its turn.
 */
function jobsOfKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("jobs").addColumn("terms", text),
    db.schema.alterTable("job_rows").addColumn("was", text),
  ];
}

/** Finds the elevations that ended first, which are forgotten in time. */
function elevationsOverSchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.createIndex("elevations_over").on("elevations").columns(["expires_at"])
      .where(sql.ref("ended_at"), "is not", null),
  ];
}
