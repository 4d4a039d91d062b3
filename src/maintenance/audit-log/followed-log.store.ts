import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

/** Entries read at once. */
const AT_ONCE = 1000;

/** An entry of a log, with what its row says happened to what; nulls: the row is gone. */
export interface FollowedEntry {
  leaf_index: number;
  leaf_hash: string;
  event_id: string;
  action: string | null;
  object_id: string | null;
  at: string | null;
}

const entriesSql = statement<{ org_id: string; from: number }>()((db, p) =>
  db.selectFrom("trail_leaves as l")
    .leftJoin(
      "audit_events as e",
      (join) => join.onRef("e.org_id", "=", "l.org_id").onRef("e.id", "=", "l.event_id"),
    )
    .select(["l.leaf_index", "l.leaf_hash", "l.event_id", "e.action", "e.object_id", "e.at"])
    .where("l.org_id", "=", p.org_id).where("l.leaf_index", ">=", p.from)
    .orderBy("l.leaf_index").limit(sql.lit(AT_ONCE))
);

/** Up to 1,000 entries of a log, from a place on. */
export async function entriesFrom(
  db: Connection,
  org_id: string,
  from: number,
): Promise<FollowedEntry[]> {
  const rows = await db.rows(entriesSql, { org_id, from });
  return rows.map((row) => ({ ...row, leaf_index: Number(row.leaf_index) }));
}

const logsSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("trail_logs").select(["org_id", "size", "frontier"]).orderBy("org_id")
);

/** Every log, by how far it has come. */
export async function allLogs(
  db: Connection,
): Promise<{ org_id: string; size: number; frontier: string }[]> {
  return (await db.rows(logsSql, {})).map((row) => ({ ...row, size: Number(row.size) }));
}
