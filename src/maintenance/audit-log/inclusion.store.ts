import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { values } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";
import type { FoundEvent, Leaf } from "./log-found.ts";
import { eventColumns } from "./logs.store.ts";

const eventSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("audit_events").select(eventColumns).select("leaf_index")
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** A row with the place in the log that it says it has; null: it waits. */
export async function placedEvent(
  db: Connection,
  org_id: string,
  id: string,
): Promise<FoundEvent | undefined> {
  const row = await db.row(eventSql, { org_id, id });
  return row && { ...row, leaf_index: row.leaf_index === null ? null : Number(row.leaf_index) };
}

const leafSql = statement<{ org_id: string; leaf_index: number }>()((db, p) =>
  db.selectFrom("trail_leaves").select(["leaf_index", "event_id", "kind", "leaf_hash"])
    .where("org_id", "=", p.org_id).where("leaf_index", "=", p.leaf_index)
);

/** The entry at a place of the log. */
export async function leafAt(
  db: Connection,
  org_id: string,
  leaf_index: number,
): Promise<Leaf | undefined> {
  const leaf = await db.row(leafSql, { org_id, leaf_index });
  return leaf && { ...leaf, leaf_index: Number(leaf.leaf_index) };
}

/** Hashes that one statement gives at the most. */
const HASHES_AT_ONCE = 1024;

/** The hashes of the entries of a stretch, at most 1,024; fewer where some are missing. */
export const leafHashes = values((db, p: { org_id: string; from: number; to: number }) =>
  db.selectFrom("trail_leaves").select("leaf_hash")
    .where("org_id", "=", p.org_id).where("leaf_index", ">=", p.from)
    .where("leaf_index", "<", p.to).orderBy("leaf_index").limit(sql.lit(HASHES_AT_ONCE))
);
