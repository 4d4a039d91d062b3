import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/** People who leave, credentials narrower than their person, and the console's sessions. */
export function peopleSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const added = (name: string, column: string) =>
    db.schema.alterTable(name).addColumn(column, text);
  return [
    added("users", "deactivated_at"),
    added("access_tokens", "scope"),
    added("access_tokens", "replaced_by"),
    db.schema.createIndex("access_tokens_user").on("access_tokens")
      .columns(["org_id", "user_id", "id"]),
    // Whom the first start made has every permission; this one is new.
    {
      compile: () =>
        sql`update users set permissions = permissions || ' operator' where exists (
          select 1 from access_tokens t
          where t.org_id = users.org_id and t.user_id = users.id and t.name = 'administrator')`
          .compile(db),
    },

    table(
      "sessions",
      ["org_id", "id", "hash", "token_id", "user_id", "created_at", "expires_at"],
      ["org_id", "id"],
    ),
    // A browser presents its session without saying whose it is.
    db.schema.createIndex("sessions_hash").on("sessions").column("hash").unique(),
    db.schema.createIndex("sessions_expiry").on("sessions").column("expires_at"),

    table(
      "sign_in_codes",
      ["org_id", "hash", "token_id", "created_at", "expires_at"],
      ["org_id", "hash"],
    ),
    db.schema.createIndex("sign_in_codes_hash").on("sign_in_codes").column("hash").unique(),
    db.schema.createIndex("sign_in_codes_expiry").on("sign_in_codes").column("expires_at"),
  ];
}
