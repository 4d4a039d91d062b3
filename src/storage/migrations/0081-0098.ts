import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { type Migration, tableMaker } from "./migration.ts";

/** Steps of the schema, in order; one that has been released never changes. */
export const migrations0081: readonly Migration[] = [
  // Older code warns of no unused key and resumes nothing by itself; newer nodes do.
  { version: 81, name: "unused-keys", oldestCode: 20, statements: unusedKeysSchema },
  // Older code sends no rows: the audit log stream is set up once no such node serves.
  { version: 82, name: "trail-sink", oldestCode: 20, statements: trailSinkSchema },
  // Older code tells no gateway of its changes: one is added once no such node serves.
  { version: 83, name: "gateways", oldestCode: 20, statements: gatewaysSchema },
  // Older code calls a gateway as often as it answers.
  { version: 84, name: "gateway-pace", oldestCode: 20, statements: gatewayPaceSchema },
  // Older code writes no policies, and leaves a gateway that is to end as it is.
  { version: 85, name: "gateway-policies", oldestCode: 20, statements: gatewayPoliciesSchema },
  // Older code shows no tags of developers, and finds no one by them.
  { version: 86, name: "developer-tags", oldestCode: 20, statements: developerTagsSchema },
  // Older code tells no gateway of certificates: they are brought once no such node serves.
  {
    version: 87,
    name: "gateway-certificates",
    oldestCode: 20,
    statements: gatewayCertificatesSchema,
  },
  // Older code would call such a gateway as the original's: one is added once no such node serves.
  { version: 88, name: "maps-of-hashes", oldestCode: 20, statements: mapsOfHashesSchema },
  // Older code asks no gateway about keys that no one knows: learning waits until no such node
  // serves.
  { version: 89, name: "learned-keys", oldestCode: 20, statements: learnedKeysSchema },
  // Older code observes nothing, and hands no decision to a gateway.
  { version: 90, name: "meter", oldestCode: 20, statements: meterSchema },
  // Older code brings new keys without it: a gateway that fetches has them with the next change.
  { version: 91, name: "map-editions", oldestCode: 20, statements: mapEditionsSchema },
  // Older code makes no key in a gateway's Redis; with a password for it, it opens no such gateway.
  { version: 92, name: "gateway-redis", oldestCode: 20, statements: gatewayRedisSchema },
  {
    version: 93,
    name: "one-index-of-objects",
    oldestCode: 20,
    statements: oneIndexOfObjectsSchema,
  },
  // Older code leaves new keys of newer code to it: a node of that brings them to their gateways.
  {
    version: 94,
    name: "new-keys-for-gateways",
    oldestCode: 20,
    statements: newKeysForGatewaysSchema,
  },
  // Older code tries no gateway by a key of its own, and lists 100 unknown keys.
  { version: 95, name: "canary-runs", oldestCode: 20, statements: canaryRunsSchema },
  // Older code counts the quota of a rotated key anew, and knows no end of an access.
  { version: 96, name: "granted-access", oldestCode: 20, statements: grantedAccessSchema },
  // Older code calls gateways that wait for a person's yes, too.
  {
    version: 97,
    name: "unconfirmed-gateways",
    oldestCode: 20,
    statements: unconfirmedGatewaysSchema,
  },
  // Older code follows learned keys to their end alone, and waits for no yes.
  { version: 98, name: "followed-keys", oldestCode: 20, statements: followedKeysSchema },
];

/** The steps of unused keys, and suspensions that end by themselves. */
function unusedKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("unused_rules", ["org_id", "plan", "terms", "updated_at", "place", "round_at"], [
      "org_id",
      "plan",
    ]),
    table(
      "key_schedules",
      ["org_id", "key_id", "step", "at", "idle_since", "due_at?", "event_id", "sent_at?"],
      ["org_id", "key_id"],
    ),
    db.schema.createIndex("key_schedules_due").on("key_schedules")
      .columns(["org_id", "due_at", "key_id"]).where(sql<boolean>`due_at is not null`),
    db.schema.createIndex("key_schedules_step").on("key_schedules")
      .columns(["org_id", "step", "at", "key_id"]),
    table("keys_elsewhere", ["org_id", "key_id", "elsewhere#", "said_by", "said_at"], [
      "org_id",
      "key_id",
    ]),
    table("timed_suspensions", ["org_id", "key_id", "suspended_at", "resume_at"], [
      "org_id",
      "key_id",
    ]),
    db.schema.createIndex("timed_suspensions_due").on("timed_suspensions")
      .columns(["org_id", "resume_at", "key_id"]),
  ];
}

/** Rows of the audit log that its stream does not have for certain yet. */
function trailSinkSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("trail_unsent", ["org_id", "event_id", "at"], ["at", "event_id", "org_id"], "clustered"),
  ];
}

/** Gateways at which keys are made and ended too, and what is to stand there of each key. */
function gatewaysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("gateways", [
      "org_id",
      "id",
      "name",
      "kind",
      "url",
      "probe_url",
      "plans?",
      "secret?",
      "state",
      "canary",
      "filled_to?",
      "checked_at?",
      "findings",
      "reconciled_at?",
      "reconciled",
      "failing_since?",
      "failure",
      "created_at",
      "created_by",
    ], ["org_id", "id"]),
    table(
      "provisioned_keys",
      [
        "org_id",
        "gateway_id",
        "key_id",
        "wanted#",
        "done#",
        "state",
        "reason",
        "since",
        "due_at?",
        "urgency#",
        "tries#",
        "remote_id",
        "held",
        "delivered_at?",
      ],
      ["org_id", "gateway_id", "key_id"],
      "clustered",
    ),
    db.schema.createIndex("provisioned_keys_due").on("provisioned_keys")
      .columns(["org_id", "gateway_id", "urgency", "due_at"])
      .where(sql<boolean>`due_at is not null`),
    db.schema.createIndex("provisioned_keys_of_state").on("provisioned_keys")
      .columns(["org_id", "gateway_id", "state", "key_id"]),
    db.schema.createIndex("provisioned_keys_of_key").on("provisioned_keys")
      .columns(["org_id", "key_id"]),
    table("provisioning_secrets", ["org_id", "key_id", "secret?", "expires_at"], [
      "org_id",
      "key_id",
    ]),
    db.schema.createIndex("provisioning_secrets_over").on("provisioning_secrets")
      .columns(["expires_at"]),
    table("gateway_lease", ["id#", "holder", "until"], ["id"]),
  ];
}

/** How often a gateway is called at the most. */
function gatewayPaceSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [db.schema.alterTable("gateways").addColumn("calls_per_second", integer)];
}

/** Whether a gateway's policies are written. */
function gatewayPoliciesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("gateways")
      .addColumn("policies", text, (column) => column.notNull().defaultTo("compare")),
  ];
}

/** The tags of developers. */
function developerTagsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const columns = ["org_id", "tag", "instant", "id"];
  return [
    db.schema.alterTable("developers").addColumn("tags", text),
    tableMaker(db, dialect)("developer_tags", columns, columns, "clustered"),
    db.schema.createIndex("developer_tags_id").on("developer_tags").columns(["org_id", "id"]),
  ];
}

/** Certificates that stand at gateways. */
function gatewayCertificatesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("gateways")
      .addColumn("certificates", integer, (column) => column.notNull().defaultTo(0)),
    db.schema.alterTable("provisioned_keys")
      .addColumn("object", text, (column) => column.notNull().defaultTo("key")),
  ];
}

/** The settings of a gateway that goes by hashes of keys; and which keys' texts are too short. */
function mapsOfHashesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("gateways").addColumn("map", text),
    db.schema.alterTable("credentials").addColumn("weak", text),
  ];
}

/** Which gateways teach keys that no one knows here, and what was learned from them. */
function learnedKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "key_learning",
      ["org_id", "gateway_id", "started_at", "started_by", "ends_at", "questions_per_second#"],
      ["org_id", "gateway_id"],
    ),
    table(
      "learned_keys",
      ["org_id", "key_id", "gateway_id", "remote_id", "learned_at", "asked_at"],
      ["org_id", "key_id"],
    ),
    db.schema.createIndex("learned_keys_of_name").unique().on("learned_keys")
      .columns(["org_id", "gateway_id", "remote_id"]),
    db.schema.createIndex("learned_keys_asked").on("learned_keys")
      .columns(["org_id", "gateway_id", "asked_at", "key_id"]),
    // A gateway's names of keys: another key with such a name is not learned.
    db.schema.createIndex("provisioned_keys_of_name").on("provisioned_keys")
      .columns(["org_id", "gateway_id", "remote_id"]),
    table("learning_lease", ["id#", "holder", "until"], ["id"]),
  ];
}

/** The observed decisions of an old gateway, and the plans that Keydesk decides. */
function meterSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const place = ["org_id", "kind", "object_id", "begins#", "verdict"];
  const placeOf = place.map((name) => name.replace("#", ""));
  return [
    table("observed_days", [...place, "asked#", "opened#", "last_at"], placeOf, "clustered"),
    db.schema.createIndex("observed_days_begins").on("observed_days").columns(["begins"]),
    db.schema.createIndex("observed_days_kind").on("observed_days")
      .columns(["org_id", "kind", "begins", "object_id"]),
    table(
      "observed_differences",
      ["org_id", "id", "at", "key_id", "developer_id", "plan_id", "api_id", "door", "reason"],
      ["org_id", "id"],
    ),
    ...["key_id", "plan_id"].map((name) =>
      db.schema.createIndex(`observed_differences_by_${name}`).on("observed_differences")
        .columns(["org_id", name, "id"])
    ),
    table("plan_switches", ["org_id", "plan", "decided", "changed_at", "changed_by"], [
      "org_id",
      "plan",
    ]),
  ];
}

/** How often keys of a map were brought, so that who fetches it tells one from another. */
function mapEditionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("gateways")
      .addColumn("edition", integer, (column) => column.notNull().defaultTo(0)),
  ];
}

/** The address of a gateway's Redis. */
function gatewayRedisSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("gateways")
      .addColumn("redis_url", text, (column) => column.notNull().defaultTo("")),
  ];
}

/**
 * Reads the events of one object from the log's index, and from the few rows that wait for the log:
 * a second index of all took a page for each change.
 */
function oneIndexOfObjectsSchema(db: QueryBuilder): Compilable[] {
  return [db.schema.dropIndex("audit_events_object")];
}

/**
 * Keys that were issued a moment ago, with what gateways need to make them. In the order of their
 * issue, which is one page for all of a commit: their rows at each gateway are added behind it.
 */
function newKeysForGatewaysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "provisioning_new",
      ["org_id", "issued_at", "key_id", "secret?"],
      ["org_id", "issued_at", "key_id"],
      "clustered",
    ),
  ];
}

/** How long gateways take to open to a key and to shut, and which keys there no one knows here. */
function canaryRunsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const gateway = ["org_id", "gateway_id"];
  return [
    table("canary_runs", [...gateway, "at", "state", "how", "name", "opened_ms#", "shut_ms#"], [
      ...gateway,
      "at",
    ], "clustered"),
    table("unknown_keys_there", [...gateway, "name"], [...gateway, "name"], "clustered"),
  ];
}

/**
 * Until when developers were given access to plans, how many keys of a plan they may have, and
 * which keys share a quota count. Plans that exist keep their keys' life and any number of keys.
 */
function grantedAccessSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const owner = ["org_id", "developer_id", "plan_id"];
  return [
    db.schema.alterTable("plans").addColumn("expiry_applies_to", text),
    db.schema.alterTable("plans").addColumn("max_keys", integer),
    db.schema.alterTable("credentials").addColumn("quota_key", text),
    tableMaker(db, dialect)("plan_accesses", [...owner, "granted_at", "ends_at?"], owner),
  ];
}

/** Gateways that an access token added or moved wait for a person's yes. */
function unconfirmedGatewaysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("gateways").addColumn("unconfirmed_since", text)];
}

/**
 * The last answer of a gateway about each key that was learned from it, the parts of it that were
 * not applied, and the keys that wait for a person's confirmation before they lose access by it.
 */
function followedKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const keys = () => db.schema.alterTable("learned_keys");
  const lazy = () => db.schema.alterTable("key_learning");
  return [
    keys().addColumn("seen", text, (c) => c.notNull().defaultTo(sql.lit(""))),
    keys().addColumn("reported", text, (c) => c.notNull().defaultTo(sql.lit(""))),
    keys().addColumn("awaits_since", text),
    lazy().addColumn("confirmed_at", text),
    lazy().addColumn("losses_since", text),
    lazy().addColumn("losses", integer, (c) => c.notNull().defaultTo(sql.lit(0))),
    db.schema.createIndex("learned_keys_awaiting").on("learned_keys")
      .columns(["org_id", "gateway_id", "awaits_since", "asked_at"]),
  ];
}
