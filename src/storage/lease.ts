import { sql } from "kysely";
import { toTimestamp } from "../kernel/clock.ts";
import { statement } from "./statement.ts";
import type { Connection, Tx } from "./storage.ts";

/** A right that one node has at a time, in the one row of its table. Whoever dies with it loses it at its end. */
export interface Lease {
  /** Takes or renews the right for `ms`, and holds its row until the transaction ends. False where another node has it. */
  hold(tx: Tx, holder: string, now: number, ms: number): Promise<boolean>;
  /** Whether another node has the right at this time. */
  isOthers(db: Connection, holder: string, now: number): Promise<boolean>;
}

/** The right that a table stands for. */
export function leaseIn(
  table: "trail_lease" | "delivery_lease" | "alert_lease" | "job_lease",
): Lease {
  const renewSql = statement<{ holder: string; until: string; now: string }>()((db, p) =>
    db.updateTable(table).set({ holder: p.holder, until: p.until })
      .where("id", "=", sql.lit(1))
      .where((eb) => eb.or([eb("holder", "=", p.holder), eb("until", "<=", p.now)]))
  );
  const firstSql = statement<{ holder: string; until: string }>()((db, p) =>
    db.insertInto(table).values({ id: sql.lit(1), holder: p.holder, until: p.until })
      .onConflict((conflict) => conflict.doNothing())
  );
  const findSql = statement<Record<never, never>>()((db) =>
    db.selectFrom(table).select(["holder", "until"]).where("id", "=", sql.lit(1))
  );
  return {
    hold: async (tx, holder, now, ms) => {
      const until = toTimestamp(now + ms);
      if (await tx.change(renewSql, { holder, until, now: toTimestamp(now) }) === 1) return true;
      return await tx.change(firstSql, { holder, until }) === 1;
    },
    isOthers: async (db, holder, now) => {
      const row = await db.row(findSql, {});
      return row !== undefined && row.holder !== holder && row.until > toTimestamp(now);
    },
  };
}
