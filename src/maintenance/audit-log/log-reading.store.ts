import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { exists } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";
import type { FoundEvent, Leaf } from "./log-found.ts";
import { eventColumns, type KeptCheckpoint } from "./logs.store.ts";

/** Rows read at once. */
const AT_ONCE = 250;

const leavesSql = statement<{ org_id: string; from: number }>()((db, p) =>
  db.selectFrom("trail_leaves").select(["leaf_index", "event_id", "kind", "leaf_hash"])
    .where("org_id", "=", p.org_id).where("leaf_index", ">=", p.from)
    .orderBy("leaf_index").limit(sql.lit(AT_ONCE))
);

/** Up to 250 entries of a log, from a place on. */
export async function leavesFrom(db: Connection, org_id: string, from: number): Promise<Leaf[]> {
  const rows = await db.rows(leavesSql, { org_id, from });
  return rows.map((row) => ({ ...row, leaf_index: Number(row.leaf_index) }));
}

const rowsSql = statement<{ org_id: string; from: number; to: number }>()((db, p) =>
  db.selectFrom("trail_leaves as l")
    .innerJoin(
      "audit_events as e",
      (join) => join.onRef("e.org_id", "=", "l.org_id").onRef("e.id", "=", "l.event_id"),
    )
    .select(eventColumns.map((name) => `e.${name}` as const))
    .select(["e.leaf_index", "l.leaf_index as entry"])
    .where("l.org_id", "=", p.org_id)
    .where("l.leaf_index", ">=", p.from).where("l.leaf_index", "<=", p.to)
);

/**
 * The rows that entries of a log stand for, by the entries' places; a row that is gone is not among
 * them.
 */
export async function rowsOf(
  db: Connection,
  org_id: string,
  leaves: readonly Leaf[],
): Promise<Map<number, FoundEvent>> {
  const [first, last] = [leaves[0], leaves.at(-1)];
  if (!first || !last) return new Map();
  const range = { org_id, from: first.leaf_index, to: last.leaf_index };
  const rows = await db.rows(rowsSql, range);
  return new Map(rows.map(({ entry, leaf_index, ...row }) => [
    Number(entry),
    { ...row, leaf_index: leaf_index === null ? null : Number(leaf_index) },
  ]));
}

const strayHeads = statement<{ org_id: string; behind: string }>()((db, p) =>
  db.selectFrom("audit_events as e")
    .leftJoin(
      "trail_leaves as l",
      (join) => join.onRef("l.org_id", "=", "e.org_id").onRef("l.leaf_index", "=", "e.leaf_index"),
    )
    .select(["e.id", "e.at", "e.leaf_index", "l.event_id"])
    .where("e.org_id", "=", p.org_id).where("e.id", ">", p.behind)
    .orderBy("e.id").limit(sql.lit(AT_ONCE * 4))
);

/** A row by where it says that it is in the log, and the row whose entry is there. */
export interface PlacedRow {
  id: string;
  at: string;
  leaf_index: number | null;
  event_id: string | null;
}

/** Up to 1,000 rows behind an id, by id. */
export async function placedRows(
  db: Connection,
  org_id: string,
  behind: string,
): Promise<PlacedRow[]> {
  const rows = await db.rows(strayHeads, { org_id, behind });
  return rows.map((row) => ({
    ...row,
    leaf_index: row.leaf_index === null ? null : Number(row.leaf_index),
  }));
}

const checkpointsSql = statement<{ org_id: string; from: number }>()((db, p) =>
  db.selectFrom("trail_checkpoints").select(["org_id", "size", "at", "note"])
    .where("org_id", "=", p.org_id).where("size", ">=", p.from).orderBy("size")
);

/** The checkpoints that are kept, from a size on. */
export async function keptCheckpoints(
  db: Connection,
  org_id: string,
  from: number,
): Promise<KeptCheckpoint[]> {
  const rows = await db.rows(checkpointsSql, { org_id, from });
  return rows.map((row) => ({ ...row, size: Number(row.size) }));
}

const organisationBehind = [
  behindIn("audit_events"),
  behindIn("trail_leaves"),
  behindIn("trail_logs"),
  statement<{ behind: string }>()((db, p) =>
    db.selectFrom("organisations").select("id as org_id").where("id", ">", p.behind)
      .orderBy("id").limit(sql.lit(1))
  ),
];

function behindIn(table: "audit_events" | "trail_leaves" | "trail_logs") {
  return statement<{ behind: string }>()((db, p) =>
    db.selectFrom(table).select("org_id").where("org_id", ">", p.behind)
      .orderBy("org_id").limit(sql.lit(1))
  );
}

/** Every organisation that is there, or has a row, an entry or a log of the audit log; by id. */
export async function auditLogOrganisations(db: Connection): Promise<string[]> {
  const all: string[] = [];
  while (true) {
    const behind = all.at(-1) ?? "";
    const next: string[] = [];
    for (const one of organisationBehind) {
      const row = await db.row(one, { behind });
      if (row) next.push(row.org_id);
    }
    const [first] = next.sort();
    if (first === undefined) return all;
    all.push(first);
  }
}

/** Whether an organisation is there. */
export const isOrganisation = exists((db, p: { org_id: string }) =>
  db.selectFrom("organisations").select("id").where("id", "=", p.org_id)
);

const stepsSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select(["version", "applied_at"])
    .where("version", "<=", sql.lit(AUDIT_LOG_LOGS)).orderBy("version")
);

/** The step of the schema that brought the logs. */
export const AUDIT_LOG_LOGS = 21;

/** When a store that is older got its logs; empty for one that always had them. */
export async function upgradedAt(db: Connection): Promise<string> {
  const steps = await db.rows(stepsSql, {});
  const [first] = steps;
  const ours = steps.find(({ version }) => version === AUDIT_LOG_LOGS);
  return ours === undefined || ours.applied_at === first?.applied_at ? "" : ours.applied_at;
}
