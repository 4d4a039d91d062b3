import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";

/** How far the scrub is, of all nodes together. */
export interface ScrubState {
  /** JSON of a ScrubPlace; empty between two rounds. */
  place: string;
  /** When the round began, or the last one where none goes on; empty before the first. */
  round_at: string;
  /** Rows that were looked at in this round, or the last. */
  rows: number;
  /** Rounds that were ended. */
  rounds: number;
  held_by: string;
  held_until: string;
}

type Nothing = Record<never, never>;

const findSql = statement<Nothing>()((db) =>
  db.selectFrom("scrubs")
    .select(["place", "round_at", "rows", "rounds", "held_by", "held_until"])
    .where("id", "=", sql.lit(1))
);

/** How far the scrub is; undefined where the row is gone. */
export async function findScrub(db: Connection): Promise<ScrubState | undefined> {
  const row = await db.row(findSql, {});
  return row && { ...row, rows: Number(row.rows), rounds: Number(row.rounds) };
}

const holdSql = statement<Record<"node" | "now" | "until", string>>()((db, p) =>
  db.updateTable("scrubs").set({ held_by: p.node, held_until: p.until })
    .where("id", "=", sql.lit(1))
    .where((eb) => eb.or([eb("held_by", "=", p.node), eb("held_until", "<=", p.now)]))
);

/** Takes the scrub, or goes on holding it. False while another node does. */
export async function holdScrub(
  tx: Tx,
  hold: { node: string; now: string; until: string },
): Promise<boolean> {
  return await tx.change(holdSql, hold) === 1;
}

type Progress = { node: string; until: string } & Omit<ScrubState, "held_by" | "held_until">;

const saveSql = statement<{ [K in keyof Progress]: Progress[K] }>()((db, p) =>
  db.updateTable("scrubs").set({
    place: p.place,
    round_at: p.round_at,
    rows: p.rows,
    rounds: p.rounds,
    held_until: p.until,
  }).where("id", "=", sql.lit(1)).where("held_by", "=", p.node)
);

/** Keeps how far the scrub is. False where another node has taken it meanwhile. */
export async function saveScrub(tx: Tx, progress: Progress): Promise<boolean> {
  return await tx.change(saveSql, { ...progress }) === 1;
}
