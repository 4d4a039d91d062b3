import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** What a gateway that goes by hashes of keys is set to; and which keys' texts are too short. */
export function mapsOfHashesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("gateways").addColumn("map", text),
    db.schema.alterTable("credentials").addColumn("weak", text),
  ];
}
