import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Certificates that stand at gateways. */
export function gatewayCertificatesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("gateways")
      .addColumn("certificates", integer, (column) => column.notNull().defaultTo(0)),
    db.schema.alterTable("provisioned_keys")
      .addColumn("object", text, (column) => column.notNull().defaultTo("key")),
  ];
}
