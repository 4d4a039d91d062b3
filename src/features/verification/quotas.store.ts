import { sql } from "kysely";
import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { change, held } from "../../storage/statement-functions.ts";
import { updates } from "../../storage/table-statements.ts";
import { variants } from "../../storage/variants.ts";
import type { Connection, Tx } from "../../storage/storage.ts";

/**
 * One period of a quota under one plan, named by the millisecond in which it begins; `key_id`: the
 * key that it is counted under.
 */
export interface QuotaPeriod {
  org_id: string;
  key_id: string;
  plan_id: string;
  period: number;
}

type Place = { [K in keyof QuotaPeriod]: QuotaPeriod[K] };

const addSql = statement<Place>()((db, p) =>
  db.insertInto("quota_uses").values({
    ...rowOf("quota_uses", p, "used", "told", "used_up_at"),
    used: sql.lit(0),
  })
    .onConflict((conflict) => conflict.doNothing())
);

const lockSql = statement<Place>()(
  held((db, p) =>
    db.selectFrom("quota_uses").select(["used", "told", "used_up_at"])
      .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
      .where("plan_id", "=", p.plan_id).where("period", "=", p.period)
  ),
);

/**
 * How much of the period is given out, which share of it was told of and since when it is used up,
 * held until the transaction ends. The row is made where there is none.
 */
export async function lockUsed(
  tx: Tx,
  place: QuotaPeriod,
): Promise<{ used: number; told: number; used_up_at: string | null }> {
  await tx.change(addSql, { ...place });
  const row = await tx.row(lockSql, { ...place });
  const { used = 0, told, used_up_at = null } = row ?? {};
  return { used: Number(used), told: Number(told ?? 0), used_up_at };
}

/** Notes since when a period is used up; null: it is not. Its row is held. */
export const setUsedUp = change(updates("quota_uses", "used_up_at"));

/** Notes which share of a period was told of, in per cent; its row is held. */
export const setNotified = change(updates("quota_uses", "told"));

/** Sets what is given out of a period whose row is held. */
export const setUsed = change(updates("quota_uses", "used"));

/** Takes back uses that were given out and not spent; nothing where the period is gone. */
export const giveBack = change((db, p: Place & { unspent: number }) =>
  db.updateTable("quota_uses").set({ used: sql<number>`used - ${p.unspent}` })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("plan_id", "=", p.plan_id).where("period", "=", p.period)
    .where("used", ">=", p.unspent)
);

/** Removes the periods before this one. */
export const forgetPeriodsBefore = change((db, p: Place) =>
  db.deleteFrom("quota_uses")
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("plan_id", "=", p.plan_id).where("period", "<", p.period)
);

/** Key ids of one statement; longer lists are given in parts. */
const IDS = 25;

const usedSql = variants((ids: number) =>
  statement<Record<string, string>>()((db, p) =>
    db.selectFrom("quota_uses").select(["key_id", "plan_id", "period", "used", "used_up_at"])
      // as: usedOfKeys gives every one of them.
      .where("org_id", "=", p.org_id as string)
      .where("key_id", "in", Array.from({ length: ids }, (_, i) => p[`id${i}`] as string))
  )
);

/** The leased part of a period, and since when all of it is used; null: it is not, or unknown. */
export interface UsedPeriod {
  plan_id: string;
  period: number;
  used: number;
  used_up_at: string | null;
}

/** The leased part of each kept period of these keys. */
export async function usedOfKeys(
  db: Connection,
  org_id: string,
  key_ids: readonly string[],
): Promise<Map<string, UsedPeriod[]>> {
  const found = new Map<string, UsedPeriod[]>();
  const together = key_ids.length === 1 ? 1 : IDS;
  for (let start = 0; start < key_ids.length; start += together) {
    const params: Record<string, string> = { org_id };
    for (let i = 0; i < together; i++) params[`id${i}`] = key_ids[start + i] ?? "";
    for (const { key_id, ...row } of await db.rows(usedSql(together), params)) {
      const one = { ...row, period: Number(row.period), used: Number(row.used) };
      found.set(key_id, [...found.get(key_id) ?? [], one]);
    }
  }
  return found;
}
