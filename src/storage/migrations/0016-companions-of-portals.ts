import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * By what developers are found who sign in through an identity provider, and documents of the
 * catalogue. Hashes can only be made where sealed values open, so whoever is there already waits
 * for them: `sso_key_hash` is null.
 */
export function portalCompanionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string) => db.schema.createIndex(name).on("developers");
  return [
    db.schema.alterTable("developers").addColumn("sso_key_hash", text),
    // The id of a developer whose sso_key another one had before the keys were told apart; else
    // empty.
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
