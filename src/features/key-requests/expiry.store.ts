import { sql } from "kysely";
import { changed, exists, lockAll } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";
import { fromTheStart } from "./asked-policy.ts";
import { type Ends, endsFrom } from "./expiry.ts";

/** Requests of one transaction: short enough for no one to wait. */
export const DUE_AT_ONCE = 50;

/** Whether anything is due of an organisation's requests that wait. */
export const isAnyDue = exists((db, p: { org_id: string; now: string }) =>
  db.selectFrom("key_requests").select("id")
    .where("org_id", "=", p.org_id).where("state", "=", sql.lit("pending"))
    .where("due_at", "is not", null).where("due_at", "<=", p.now).limit(sql.lit(1))
);

/**
 * Requests that wait of which something is due, the first DUE_AT_ONCE, held until the transaction
 * ends. Requests that are being decided at this moment are left out.
 */
export const lockDue = lockAll(
  (db, p: { org_id: string; now: string }) =>
    db.selectFrom("key_requests")
      .select(["id", "state", "approved", "instant", "head", "tail", "offer", "policy"])
      .select(["expires_at", "due_at"])
      .where("org_id", "=", p.org_id).where("state", "=", sql.lit("pending"))
      .where("due_at", "is not", null).where("due_at", "<=", p.now)
      .orderBy("due_at").orderBy("id").limit(sql.lit(DUE_AT_ONCE)),
  (query) => query.forUpdate().skipLocked(),
);

/** Sets when a pending request ends. False where it is decided. */
export const setEnds = changed((db, p: { org_id: string; id: string } & Ends) =>
  db.updateTable("key_requests").set({ expires_at: p.expires_at, due_at: p.due_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("pending"))
);

const beginSql = changed((db, p: { org_id: string; id: string; policy: string | null } & Ends) =>
  db.updateTable("key_requests")
    .set({ policy: p.policy, expires_at: p.expires_at, due_at: p.due_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("pending"))
);

/**
 * Begins the steps of a pending request anew, which is held, and the days until it ends.
 */
export async function beginAnew(
  tx: Tx,
  { org_id, id, policy, now }: { org_id: string; id: string; policy: string | null; now: number },
): Promise<void> {
  if (policy === null) return;
  await beginSql(tx, { org_id, id, policy: fromTheStart(policy), ...endsFrom(policy, now) });
}
