import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { change } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";

const findSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("purge_clock").select("until").where("id", "=", sql.lit(1))
);

/** By when was purged last, in milliseconds since 1970; undefined before the first time. */
export async function findPurgeTime(db: Connection): Promise<number | undefined> {
  const row = await db.row(findSql, {});
  return row && Number(row.until);
}

/** Keeps that time. */
export const putPurgeTime = change((db, p: { until: number }) =>
  db.insertInto("purge_clock").values({ id: sql.lit(1), until: p.until })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ until: sql<number>`excluded.until` })
    )
);

/** Keeps that time where there is none. */
export const addPurgeTime = change((db, p: { until: number }) =>
  db.insertInto("purge_clock").values({ id: sql.lit(1), until: p.until })
    .onConflict((conflict) => conflict.column("id").doNothing())
);
