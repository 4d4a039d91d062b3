import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Access tokens that open something from some addresses alone, their last use, and people who are
 * suspended.
 */
export function accessTokensSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
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
