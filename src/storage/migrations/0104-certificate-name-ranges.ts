import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * How many certificates each range of names holds, at two levels. Those of organisations that have
 * certificates are counted after the start, some at a time.
 */
export function certificateNameRangesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const key = ["org_id", "level", "key", "position"];
  const numbers = ["n0", "n1", "n2", "n3", "counted"];
  const columns = ["org_id", "level#", "key", "position#", ...numbers.map((name) => `${name}#`)];
  const uncounted = (level: number) => ({
    compile: () =>
      sql`insert into certificate_name_ranges
        (org_id, level, key, position, n0, n1, n2, n3, counted)
        select id, ${sql.lit(level)}, '', 0, 0, 0, 0, 0, 0 from organisations as o
        where exists (select 1 from certificates as c where c.org_id = o.id)`.compile(db),
  });
  return [
    table("certificate_name_ranges", columns, key, "clustered"),
    db.schema.createIndex("certificate_names_uncounted").on("certificate_name_ranges")
      .columns(["level", "org_id", "key", "position"]).where(sql<boolean>`counted = 0`),
    uncounted(0),
    uncounted(1),
  ];
}
