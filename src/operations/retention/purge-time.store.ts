import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";

const findSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("purge_clock").select("until").where("id", "=", sql.lit(1))
);

/** The time by which was purged last, in milliseconds since 1970; undefined before the first time. */
export async function findPurgeTime(db: Connection): Promise<number | undefined> {
  const row = await db.row(findSql, {});
  return row && Number(row.until);
}

const putSql = statement<{ until: number }>()((db, p) =>
  db.insertInto("purge_clock").values({ id: sql.lit(1), until: p.until })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ until: sql<number>`excluded.until` })
    )
);

/** Keeps that time. */
export async function putPurgeTime(tx: Tx, until: number): Promise<void> {
  await tx.change(putSql, { until });
}
