import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Gateways that an access token added or moved wait for a person's yes. */
export function unconfirmedGatewaysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("gateways").addColumn("unconfirmed_since", text)];
}
