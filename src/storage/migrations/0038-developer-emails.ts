import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Whether a developer's address was confirmed since it changed, the links that ask for that, and
 * the address that a claim was made for. A developer without a row has the address that they always
 * had.
 */
export function developerEmailsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string) => db.schema.createIndex(name).on("email_links");
  return [
    db.schema.alterTable("claims").addColumn("email", text),
    table("developer_emails", [
      "org_id",
      "id",
      "state",
      "cause",
      "address",
      "previous",
      "changed_at",
      "changed_by",
      "asked_at",
    ], ["org_id", "id"]),
    table(
      "email_links",
      ["org_id", "id", "developer_id", "side", "hash", "link?", "expires_at"],
      ["org_id", "id"],
    ),
    index("email_links_hash").column("hash").unique(),
    index("email_links_developer").columns(["org_id", "developer_id"]),
    index("email_links_end").columns(["expires_at"]),
  ];
}
