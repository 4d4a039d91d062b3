import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/** What lists of keys are read by, and the former key id of an imported key. */
export function keysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const table = tableMaker(db, dialect);
  const index = (name: string) => db.schema.createIndex(name).on("credentials");
  return [
    db.schema.alterTable("credentials").addColumn("imported_as", text),
    // Newest first within a state: a list of all is the merge of three.
    index("credentials_newest").columns(["org_id", "state", "issued_at", "key_id"]),
    db.schema.dropIndex("credentials_developer"),
    index("credentials_developer")
      .columns(["org_id", "developer_id", "state", "issued_at", "key_id"]),
    index("credentials_expiry").columns(["org_id", "expires_at", "key_id"])
      .where(sql<boolean>`expires_at is not null and state <> 'revoked'`),
    // Small, and empty as soon as every imported key was used or is over.
    index("credentials_murmur").columns(["org_id", "use_before", "key_id"])
      .where(sql<boolean>`algorithm <> 'sha256'`),
    index("credentials_imported").columns(["org_id", "imported_as"])
      .where(sql<boolean>`imported_as is not null`),
    table(
      "credential_plans",
      ["org_id", "plan_id", "state", "issued_at", "key_id"],
      ["org_id", "plan_id", "state", "issued_at", "key_id"],
      "clustered",
    ),
    raw(
      db,
      `insert into credential_plans (org_id, plan_id, state, issued_at, key_id)
       select distinct c.org_id, p.value, c.state, c.issued_at, c.key_id from credentials c, ${
        dialect === "postgres"
          ? "json_array_elements_text(c.plans::json) as p(value)"
          : "json_each(c.plans) p"
      }`,
    ),
  ];
}

function raw(db: QueryBuilder, text: string): Compilable {
  return { compile: () => sql.raw(text).compile(db) };
}
