import { type Compilable, sql } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/** Certificates whose validity ends before it begins, in the order of their ends. They are few. */
export function invalidCertificatesSchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.createIndex("certificates_invalid").on("certificates")
      .columns(["org_id", "kind", "not_after", "position", "not_before"])
      .where(sql<boolean>`not_after < not_before`),
  ];
}
