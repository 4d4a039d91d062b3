import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * What lists without details show, in the order of addition: rows are six times as large, and most
 * of their pages would be read for nothing. PostgreSQL takes no entries as long as certificates
 * with very many names have.
 */
export function listedCertificatesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  if (dialect === "postgres") return [];
  return [
    // Of every certificate; only statements that say so go by it, since SQLite would take it for
    // any that go by position.
    db.schema.createIndex("certificates_listed").on("certificates")
      .columns(["org_id", "position", "kind", "fingerprint", "head", "tail"])
      .where(sql<boolean>`kind >= 0`),
  ];
}
