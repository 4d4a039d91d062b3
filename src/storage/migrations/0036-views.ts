import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Saved views of lists, the columns that each person chose, and indexes of further orders. */
export function viewsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const index = (name: string, of: string) => db.schema.createIndex(name).on(of);
  return [
    table("views", [
      "org_id",
      "id",
      "list",
      "name",
      "owner",
      "shared#",
      "query",
      "columns?",
      "created_at",
      "changed_at",
    ], ["org_id", "id"]),
    index("views_owner", "views").columns(["org_id", "owner"]),
    index("views_shared", "views").columns(["org_id"]).where(sql<boolean>`shared = 1`),
    table("list_columns", ["org_id", "user_id", "list", "columns"], ["org_id", "user_id", "list"]),
    // Keys without an end stand together, oldest first.
    index("credentials_ends", "credentials")
      .columns(["org_id", "state", "expires_at", "issued_at", "key_id"]),
    index("key_requests_by_issue", "key_requests").columns(["org_id", "issued_at", "id"])
      .where(sql<boolean>`state = 'issued'`),
    index("key_requests_by_decline", "key_requests").columns(["org_id", "decided_at", "id"])
      .where(sql<boolean>`state = 'declined'`),
    index("developers_by_email", "developers").columns(["org_id", "inactive", "email_key", "id"]),
  ];
}
