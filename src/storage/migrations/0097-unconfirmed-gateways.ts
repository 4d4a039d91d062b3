import { type Compilable, sql } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/** Gateways that an access token added or moved wait for a person's yes. */
export function unconfirmedGatewaysSchema(db: QueryBuilder): Compilable[] {
  return [db.schema.alterTable("gateways").addColumn("unconfirmed_since", sql`text`)];
}
