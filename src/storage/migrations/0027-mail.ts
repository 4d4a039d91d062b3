import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * What mails need: where people are written to, to whom a delivery goes, links of claims that wait
 * to be mailed, and how many mails an address got lately.
 */
export function mailSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("users").addColumn("email", text),
    db.schema.alterTable("deliveries")
      .addColumn("recipient", text, (c) => c.notNull().defaultTo(sql.lit(""))),
    // What is gathered into one mail.
    db.schema.createIndex("deliveries_recipient").on("deliveries")
      .columns(["org_id", "target_id", "recipient", "position"])
      .where(sql<boolean>`line = 1 and recipient <> ''`),
    table("claim_links", ["org_id", "id", "request_id", "link?", "expires_at"], ["org_id", "id"]),
    db.schema.createIndex("claim_links_request").on("claim_links").columns([
      "org_id",
      "request_id",
    ]),
    db.schema.createIndex("claim_links_end").on("claim_links").columns(["expires_at"]),
    table("mail_counts", ["org_id", "address", "sent", "expires_at"], ["org_id", "address"]),
    db.schema.createIndex("mail_counts_end").on("mail_counts").columns(["expires_at"]),
  ];
}
