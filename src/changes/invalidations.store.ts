import { sql } from "kysely";
import { statement } from "../storage/statement.ts";
import { numberOf } from "../storage/statement-functions.ts";
import type { Connection, Tx } from "../storage/storage.ts";

/** Something that verification keeps in memory and must look at again. */
export interface Invalidation {
  position: number;
  org_id: string;
  kind: "key" | "plan";
  /** The key id or the plan's id. */
  object_id: string;
}

const nextSql = statement<Record<never, never>>()((db) =>
  db.updateTable("invalidation_counter").set({ position: sql`position + 1` })
    .where("id", "=", sql.lit(1))
);

const insertSql = statement<
  { org_id: string; kind: "key" | "plan"; object_id: string; at: string }
>()((db, p) =>
  db.insertInto("invalidations").columns(["position", "org_id", "kind", "object_id", "at"])
    .expression(
      db.selectFrom("invalidation_counter").select([
        "position",
        sql<string>`${p.org_id}`.as("org_id"),
        sql<"key" | "plan">`${p.kind}`.as("kind"),
        sql<string>`${p.object_id}`.as("object_id"),
        sql<string>`${p.at}`.as("at"),
      ]).where("id", "=", sql.lit(1)),
    )
);

const purgeSql = statement<{ before: string }>()((db, p) =>
  db.deleteFrom("invalidations").where("at", "<", p.before)
);

/**
 * Adds a row behind all that are committed; rows older than `before` go. None of it is waited for:
 * the counter, which every such change takes, is held for no round trip.
 */
export async function insertInvalidation(
  tx: Tx,
  row: { org_id: string; kind: "key" | "plan"; object_id: string; at: string },
  before: string,
): Promise<void> {
  await tx.send(nextSql, {});
  await tx.send(insertSql, row);
  await tx.send(purgeSql, { before });
}

/** The position of the newest committed row. */
export const findPosition = numberOf((db) =>
  db.selectFrom("invalidation_counter").select("position").where("id", "=", sql.lit(1))
);

const afterSql = statement<{ position: number }>()((db, p) =>
  db.selectFrom("invalidations").select(["position", "org_id", "kind", "object_id"])
    .where("position", ">", p.position).orderBy("position").limit(sql.lit(1000))
);

/**
 * Up to 1,000 rows after this position, in the order of their commits. If the first of them is not
 * the next number, rows between were purged, and everything must be looked at again.
 */
export async function invalidationsAfter(
  db: Connection,
  position: number,
): Promise<Invalidation[]> {
  const rows = await db.rows(afterSql, { position });
  return rows.map((row) => ({ ...row, position: Number(row.position) }));
}
