import { type Compilable, sql } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/**
 * Certificates are counted by the end of their validity as other lists are, in place of the blocks
 * that earlier code kept. It goes through all certificates, five times.
 */
export function certificateEndsSchema(db: QueryBuilder): Compilable[] {
  // All, year, month, day, hour: see certificate-counts.store.ts.
  const levels = [0, 4, 7, 10, 13].map((length, level) => ({
    compile: () =>
      sql`insert into list_counts (org_id, list, level, bucket, shard, n)
        select org_id, 'certificate_ends/' || kind, ${sql.lit(level)},
          substr(not_after, 1, ${sql.lit(length)}), 0, count(*)
        from certificates group by org_id, kind, substr(not_after, 1, ${sql.lit(length)})`
        .compile(db),
  }));
  return [...levels, db.schema.dropTable("certificate_blocks")];
}
