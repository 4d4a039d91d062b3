import { type Compilable, sql } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/** Finds the elevations that ended first, which are forgotten in time. */
export function elevationsOverSchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.createIndex("elevations_over").on("elevations").columns(["expires_at"])
      .where(sql.ref("ended_at"), "is not", null),
  ];
}
