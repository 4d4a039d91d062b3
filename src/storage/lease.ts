import { sql } from "kysely";
import { toTimestamp } from "../kernel/clock.ts";
import { type Statement, statement } from "./statement.ts";
import type { Connection, Tx } from "./storage.ts";

/**
 * A right that one node has at a time, in the one row of its table. A node that dies with it loses
 * it at its end. Times are by the store's clock (store-clock.ts). An end that lies further ahead
 * than any lease lasts was written by another clock, or before this one was put back: it counts as
 * a lease that begins when it is seen, and is written down so.
 */
interface Lease {
  /** How long the right lasts without being used, in milliseconds. */
  readonly lengthMs: number;
  /**
   * Takes or renews the right for its length, or for `ms`, and holds its row until the transaction
   * ends. False where another node has it.
   */
  take(tx: Tx, holder: string, now: number, ms?: number): Promise<boolean>;
  /**
   * Whether another node has the right at this time. False too where its end is to be written down:
   * `hold` does.
   */
  isOthers(db: Connection, holder: string, now: number): Promise<boolean>;
  /** Leaves the right to the others at once, where this node has it. */
  giveBack(tx: Tx, holder: string): Promise<void>;
}

/** The statements of a lease on its row. */
interface LeaseStatements {
  /** Takes the row where this node has it, or its end has come. */
  renew: Statement<{ holder: string; until: string; now: string }, unknown>;
  /** Makes the row where there is none; undefined: there is always one. */
  first?: Statement<{ holder: string; until: string }, unknown>;
  /** Brings the end of another node's right forward to `until`, where it lies behind it. */
  shorten: Statement<{ holder: string; until: string }, unknown>;
  /** Ends this node's right. */
  end: Statement<{ holder: string; ended: string }, unknown>;
  find: Statement<Record<never, never>, { holder: string; until: string }>;
}

/** Before every time: such a right is no one's. */
const ENDED = "";

/** The right that a row represents, for so many milliseconds. */
export function leaseBy(sqls: LeaseStatements, lengthMs: number): Lease {
  return {
    lengthMs,
    take: async (tx, holder, now, ms = lengthMs) => {
      const until = toTimestamp(now + ms);
      if (await tx.change(sqls.renew, { holder, until, now: toTimestamp(now) }) === 1) return true;
      if (sqls.first && await tx.change(sqls.first, { holder, until }) === 1) return true;
      await tx.change(sqls.shorten, { holder, until: toTimestamp(now + lengthMs) });
      return false;
    },
    isOthers: async (db, holder, now) => {
      const row = await db.row(sqls.find, {});
      return row !== undefined && row.holder !== holder && row.until > toTimestamp(now) &&
        row.until <= toTimestamp(now + lengthMs);
    },
    giveBack: async (tx, holder) => {
      await tx.change(sqls.end, { holder, ended: ENDED });
    },
  };
}

/** The right that a table represents, for so many milliseconds. */
export function leaseIn(
  table:
    | "trail_lease"
    | "delivery_lease"
    | "alert_lease"
    | "job_lease"
    | "gateway_lease"
    | "learning_lease",
  lengthMs: number,
): Lease {
  return leaseBy({
    renew: statement<{ holder: string; until: string; now: string }>()((db, p) =>
      db.updateTable(table).set({ holder: p.holder, until: p.until })
        .where("id", "=", sql.lit(1))
        .where((eb) => eb.or([eb("holder", "=", p.holder), eb("until", "<=", p.now)]))
    ),
    first: statement<{ holder: string; until: string }>()((db, p) =>
      db.insertInto(table).values({ id: sql.lit(1), holder: p.holder, until: p.until })
        .onConflict((conflict) => conflict.doNothing())
    ),
    shorten: statement<{ holder: string; until: string }>()((db, p) =>
      db.updateTable(table).set({ until: p.until })
        .where("id", "=", sql.lit(1)).where("holder", "<>", p.holder).where("until", ">", p.until)
    ),
    end: statement<{ holder: string; ended: string }>()((db, p) =>
      db.updateTable(table).set({ until: p.ended })
        .where("id", "=", sql.lit(1)).where("holder", "=", p.holder)
    ),
    find: statement<Record<never, never>>()((db) =>
      db.selectFrom(table).select(["holder", "until"]).where("id", "=", sql.lit(1))
    ),
  }, lengthMs);
}
