import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * By which names certificates are renewed, which sets of names hold others, and what people say of
 * renewals. Certificates that exist are named after the start, some at a time.
 */
export function certificateRenewalsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
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
