import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** What introspection tells of a token, and the order in which a client's tokens go. */
export function oauthSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("oauth_tokens").addColumn("client_id", text),
    db.schema.createIndex("oauth_tokens_client").on("oauth_tokens")
      .columns(["org_id", "key_id", "issued_at", "hash"]),
  ];
}
