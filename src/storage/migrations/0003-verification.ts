import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/** What a credential's life needs, and what nodes that verify from memory must look at again. */
export function verificationSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const added = (name: string) => db.schema.alterTable("credentials").addColumn(name, text);
  return [
    added("expires_at"),
    added("state_changed_at"),
    added("state_reason"),
    added("replaced_by"),
    added("use_before"),
    db.schema.alterTable("credentials")
      .addColumn("algorithm", text, (c) => c.notNull().defaultTo("sha256")),
    // A client presents its id without saying whose it is.
    db.schema.createIndex("credentials_oauth").on("credentials").column("key_id")
      .where(sql<boolean>`kind = 'oauth'`),
    // Apart, because it changes with use, and the credential with decisions.
    table("credential_uses", ["org_id", "key_id", "last_used_at"], ["org_id", "key_id"]),

    table(
      "oauth_tokens",
      ["org_id", "hash", "key_id", "issued_at", "expires_at"],
      ["org_id", "hash"],
    ),
    db.schema.createIndex("oauth_tokens_expiry").on("oauth_tokens").column("expires_at"),

    table("invalidations", ["position#", "org_id", "kind", "object_id", "at"], ["position"]),
    db.schema.createIndex("invalidations_at").on("invalidations").column("at"),
    // One row: whoever takes a number holds it until the commit, so that numbers appear in their
    // order.
    table("invalidation_counter", ["id#", "position#"], ["id"]),
    db.insertInto("invalidation_counter").values({ id: sql.lit(1), position: sql.lit(0) }),
  ];
}
