import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/** What nodes that verify keys from memory must look at again, in the order of the commits. */
export function invalidationsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("invalidations", ["position#", "org_id", "kind", "object_id", "at"], ["position"]),
    db.schema.createIndex("invalidations_at").on("invalidations").column("at"),
    // One row: whoever takes a number holds it until the commit, so that numbers appear in their order.
    table("invalidation_counter", ["id#", "position#"], ["id"]),
    db.insertInto("invalidation_counter").values({ id: sql.lit(1), position: sql.lit(0) }),
  ];
}
