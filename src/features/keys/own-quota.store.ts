import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Tx } from "../../storage/storage.ts";
import { type HeldCredential, lockCredential, setQuotaFrom } from "./credential-life.store.ts";
import { conditionsIn } from "./key-conditions.ts";

const copySql = statement<{ org_id: string; from: string; to: string }>()((db, p) =>
  db.insertInto("quota_uses")
    .columns(["org_id", "key_id", "plan_id", "period", "used", "told", "used_up_at"])
    .expression(
      db.selectFrom("quota_uses")
        .select(["org_id", sql<string>`${p.to}`.as("key_id"), "plan_id", "period", "used", "told"])
        .select("used_up_at")
        .where("org_id", "=", p.org_id).where("key_id", "=", p.from),
    )
);

/**
 * A fresh key that takes the place of one with a quota of its own begins where that one stands: by
 * another key nobody gets the quota that they were granted anew.
 */
export async function carryOwnQuota(tx: Tx, from: HeldCredential, to: string): Promise<void> {
  const { org_id, key_id, conditions, quota_from, issued_at } = from;
  if (!conditionsIn(conditions)?.quota) return;
  if (await tx.change(copySql, { org_id, from: key_id, to }) === 0) return;
  const fresh = await lockCredential(tx, org_id, to);
  // Its periods begin as those of the other one did.
  if (fresh) await setQuotaFrom(tx, fresh, quota_from ?? issued_at);
}
