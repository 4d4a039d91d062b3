import { sql } from "kysely";
import { leaseBy } from "../../storage/lease.ts";
import { pick } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { changed } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";

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

/** The right to scrub. It lasts for some turns of a node at rest. */
export const scrubLease = leaseBy({
  renew: statement<Record<"holder" | "now" | "until", string>>()((db, p) =>
    db.updateTable("scrubs").set({ held_by: p.holder, held_until: p.until })
      .where("id", "=", sql.lit(1))
      .where((eb) => eb.or([eb("held_by", "=", p.holder), eb("held_until", "<=", p.now)]))
  ),
  shorten: statement<Record<"holder" | "until", string>>()((db, p) =>
    db.updateTable("scrubs").set({ held_until: p.until })
      .where("id", "=", sql.lit(1)).where("held_by", "<>", p.holder)
      .where("held_until", ">", p.until)
  ),
  end: statement<Record<"holder" | "ended", string>>()((db, p) =>
    db.updateTable("scrubs").set({ held_until: p.ended })
      .where("id", "=", sql.lit(1)).where("held_by", "=", p.holder)
  ),
  find: statement<Nothing>()((db) =>
    db.selectFrom("scrubs").select(["held_by as holder", "held_until as until"])
      .where("id", "=", sql.lit(1))
  ),
}, 5 * 60_000);

type Progress = { node: string } & Omit<ScrubState, "held_by" | "held_until">;

/** Keeps how far the scrub is. False where another node has taken it meanwhile. */
export const saveScrub = changed((db, p: Progress) =>
  db.updateTable("scrubs").set(pick(p, "place", "round_at", "rows", "rounds"))
    .where("id", "=", sql.lit(1)).where("held_by", "=", p.node)
);
