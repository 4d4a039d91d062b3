import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { type Migration, tableMaker } from "./migration.ts";

/** Steps of the schema, in order; one that has been released never changes. */
export const migrations0099: readonly Migration[] = [
  // Older code keeps no reason of a refused sign-in, and asks no provider again.
  { version: 99, name: "provider-states", oldestCode: 20, statements: providerStatesSchema },
  // Older code takes no certificate that newer code adds for a renewal.
  {
    version: 100,
    name: "certificate-renewals",
    oldestCode: 20,
    statements: certificateRenewalsSchema,
  },
  // Older code calls a key gone before the proxies that fetch a map have it.
  { version: 101, name: "map-readers", oldestCode: 20, statements: mapReadersSchema },
  // Older code keeps whatever a browser says as the last refusal.
  { version: 102, name: "provider-refusals", oldestCode: 20, statements: providerRefusalsSchema },
  // Older code counts what ends before it begins by its end.
  {
    version: 103,
    name: "invalid-certificates",
    oldestCode: 20,
    statements: invalidCertificatesSchema,
  },
  // Older code counts no certificate by its name.
  {
    version: 104,
    name: "certificate-name-ranges",
    oldestCode: 20,
    statements: certificateNameRangesSchema,
  },
  // Older code shows the names that were written.
  {
    version: 105,
    name: "names-of-algorithms",
    oldestCode: 20,
    statements: namesOfAlgorithmsSchema,
  },
  // Older code finds the plans and keys with the most calls without them, only later.
  { version: 106, name: "no-busiest", oldestCode: 20, statements: noBusiestSchema },
  // Older code goes on to promise, and walks what waits for its next notice.
  { version: 107, name: "no-promises", oldestCode: 20, statements: noPromisesSchema },
  // Older code brings certificates that are changed there; newer code leaves them.
  { version: 108, name: "no-certificates-at-gateways", oldestCode: 20, statements: leftThere },
  // Older code starts no small jobs; it goes on with them, but with none of an elevation.
  { version: 109, name: "small-jobs", oldestCode: 20, statements: smallJobsSchema },
  // Older code sends by the mail server of its environment alone.
  { version: 110, name: "mail-server", oldestCode: 20, statements: mailServerSchema },
  // Older code shows every API to all developers.
  { version: 111, name: "api-visibilities", oldestCode: 20, statements: apiVisibilitiesSchema },
  // Older code shows plans without their price.
  { version: 112, name: "price-texts", oldestCode: 20, statements: priceTextsSchema },
  // Older code counts no change of what files declare, and refuses none.
  { version: 113, name: "config-objects", oldestCode: 20, statements: configSchema },
];

/**
 * How identity providers fare: the last refusal, and what they do not do as they should. By what
 * sessions are asked for again at their provider.
 */
function providerStatesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "provider_states",
      ["org_id", "id", "refused_at?", "refused?", "problem_since?", "problem?", "refreshes?"],
      ["org_id", "id"],
    ),
    table(
      "provider_grants",
      [
        "org_id",
        "id",
        "provider_id",
        "identity_id",
        "owner_id",
        "kind",
        "token?",
        "next_at",
        "expires_at",
      ],
      ["org_id", "id"],
    ),
    db.schema.createIndex("provider_grants_due").on("provider_grants").columns(["next_at"]),
    db.schema.createIndex("provider_grants_of").on("provider_grants")
      .columns(["org_id", "provider_id"]),
    db.schema.createIndex("provider_grants_over").on("provider_grants")
      .columns(["expires_at"]),
  ];
}

/**
 * By which names certificates are renewed, which sets of names hold others, and what people say of
 * renewals. Certificates that exist are named after the start, some at a time.
 */
function certificateRenewalsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("certificates").addColumn("renewal_names", text),
    db.schema.createIndex("certificates_renewal").on("certificates")
      .columns(["org_id", "renewal_names", "not_after", "fingerprint"])
      .where(sql<boolean>`renewal_names <> ''`),
    db.schema.createIndex("certificates_unnamed_renewal").on("certificates")
      .columns(["org_id", "fingerprint"]).where(sql<boolean>`renewal_names is null`),
    table("wider_names", ["org_id", "names", "wider", "size#"], ["org_id", "names", "wider"]),
    db.schema.createIndex("wider_names_of").on("wider_names").columns(["org_id", "wider"]),
    table(
      "certificate_renewals",
      ["org_id", "fingerprint", "renewal", "renews#", "said_by", "said_at"],
      ["org_id", "fingerprint", "renewal"],
    ),
    db.schema.createIndex("certificate_renewals_by").on("certificate_renewals")
      .columns(["org_id", "renewal"]),
  ];
}

/** Which state of a gateway's map each proxy has that fetches it, by its access token. */
function mapReadersSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const place = ["org_id", "gateway_id", "token_id"];
  const sent = ["sent", "sent_edition#", "sent_at"];
  return [table("map_readers", [...place, "edition#", "up_to?", ...sent, "seen_at"], place)];
}

/** By whom a sign-in was last refused, and when a provider's problem was last seen. */
function providerRefusalsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return ["refused_by", "problem_seen"].map((column) =>
    db.schema.alterTable("provider_states").addColumn(column, text)
  );
}

/** Certificates whose validity ends before it begins, in the order of their ends. They are few. */
function invalidCertificatesSchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.createIndex("certificates_invalid").on("certificates")
      .columns(["org_id", "kind", "not_after", "position", "not_before"])
      .where(sql<boolean>`not_after < not_before`),
  ];
}

/**
 * How many certificates each range of names holds, at two levels. Those of organisations that have
 * certificates are counted after the start, some at a time.
 */
function certificateNameRangesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const key = ["org_id", "level", "key", "position"];
  const numbers = ["n0", "n1", "n2", "n3", "counted"];
  const columns = ["org_id", "level#", "key", "position#", ...numbers.map((name) => `${name}#`)];
  const uncounted = (level: number) => ({
    compile: () =>
      sql`insert into certificate_name_ranges
        (org_id, level, key, position, n0, n1, n2, n3, counted)
        select id, ${sql.lit(level)}, '', 0, 0, 0, 0, 0, 0 from organisations as o
        where exists (select 1 from certificates as c where c.org_id = o.id)`.compile(db),
  });
  return [
    table("certificate_name_ranges", columns, key, "clustered"),
    db.schema.createIndex("certificate_names_uncounted").on("certificate_name_ranges")
      .columns(["level", "org_id", "key", "position"]).where(sql<boolean>`counted = 0`),
    uncounted(0),
    uncounted(1),
  ];
}

/**
 * Certificates whose algorithms earlier code knew by number alone, or whose key's size it did not
 * know, are read anew after the start with those that wait for the names of their renewal. It goes
 * through all certificates once.
 */
export function namesOfAlgorithmsSchema(db: QueryBuilder): Compilable[] {
  return [
    db.updateTable("certificates").set({ renewal_names: sql`null` })
      .where(sql<boolean>`details like '%,"key_size":0,%'
        or details like '%,"signature_algorithm":"0.%'
        or details like '%,"signature_algorithm":"1.%'
        or details like '%,"signature_algorithm":"2.%'`),
  ];
}

/** Nothing asks for the plans and keys with the most calls of a day. */
function noBusiestSchema(db: QueryBuilder): Compilable[] {
  return ["key", "plan"].map((kind) => db.schema.dropIndex(`usage_days_busiest_${kind}s`));
}

/** Nothing asks for what is promised. Its columns stay, for nodes of older code. */
function noPromisesSchema(db: QueryBuilder): Compilable[] {
  return ["promised", "to_tell"].map((name) => db.schema.dropIndex(`key_requests_${name}`));
}

/** Nothing is known any more of certificates that stand at gateways. */
function leftThere(db: QueryBuilder): Compilable[] {
  return [db.deleteFrom("provisioned_keys").where("object", "=", sql.lit("certificate"))];
}

/** Jobs that are done within the call, of which a person has several, and those of an elevation. */
function smallJobsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("jobs").addColumn("elevation", text),
    db.schema.alterTable("jobs").addColumn(
      "small",
      integer,
      (column) => column.notNull().defaultTo(0),
    ),
    db.schema.dropIndex("jobs_under_way"),
    db.schema.createIndex("jobs_under_way").on("jobs").columns(["org_id", "person", "id"])
      .where(sql<boolean>`ended_at is null`),
    db.schema.createIndex("jobs_under_way_of").on("jobs").columns(["org_id", "person"])
      .unique().where(sql<boolean>`ended_at is null and small = 0`),
  ];
}

/** The server that mails are handed to, where people set it. */
function mailServerSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [table("mail_servers", ["org_id", "id", "document", "password?"], ["org_id", "id"])];
}

/** The visibility of APIs; an API without a row is seen by all who are signed in. */
function apiVisibilitiesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const columns = ["org_id", "api_id", "visibility", "invited", "invited_tags"];
  return [table("api_visibilities", columns, ["org_id", "api_id"])];
}

/** The price of a plan, in words. */
function priceTextsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("plans").addColumn("price_text", text)];
}

/** Things of organisations that files declare. */
function configSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const object = ["org_id", "kind", "object_id"];
  const managed = ["name", "source", "revision", "made#", "declared", "applied_at", "drifted_at?"];
  const asked = ["source", "revision", "changes", "asked_by", "asked_at"];
  const confirmed = ["confirmed_by?", "confirmed_at?"];
  return [
    table("config_states", ["org_id", "n#", "changes"], ["org_id"]),
    table("config_objects", [...object, ...managed], object),
    table("config_reviews", ["org_id", "digest", ...asked, ...confirmed], ["org_id", "digest"]),
  ];
}
