import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** Where the Redis of a gateway is. */
export function gatewayRedisSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("gateways")
      .addColumn("redis_url", text, (column) => column.notNull().defaultTo("")),
  ];
}
