import { type Compilable, sql } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/**
 * Of each day the plans and keys with the most calls first. By the number of the day: sums of one
 * thing go by its hours, and would be tempted to walk the whole organisation's.
 */
export function busiestSchema(db: QueryBuilder): Compilable[] {
  return ["key", "plan"].map((kind) => ({
    compile: () =>
      sql`create index ${sql.ref(`usage_days_busiest_${kind}s`)} on usage_days
        (org_id, (begins / 24), success, object_id) where kind = ${sql.lit(kind)}`.compile(db),
  }));
}
