import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** How often keys of a map were brought, so that who fetches it tells one from another. */
export function mapEditionsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return [
    db.schema.alterTable("gateways")
      .addColumn("edition", integer, (column) => column.notNull().defaultTo(0)),
  ];
}
