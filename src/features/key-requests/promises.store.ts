import { sql } from "kysely";
import { changed, exists, lockAll } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";
import { type Promised, promisedFrom } from "./promise.ts";

/** Requests of one transaction: short enough for nobody to wait. */
export const TOLD_AT_ONCE = 50;

/** Whether something is to be told of an organisation's requests that wait. */
export const isAnyToTell = exists((db, p: { org_id: string; now: string }) =>
  db.selectFrom("key_requests").select("id")
    .where("org_id", "=", p.org_id).where("state", "=", sql.lit("pending"))
    .where("tell_at", "is not", null).where("tell_at", "<=", p.now)
    .limit(sql.lit(1))
);

/**
 * Those requests, the first TOLD_AT_ONCE, held until the transaction ends. What somebody decides at
 * this moment is left out.
 */
export const lockToTell = lockAll(
  (db, p: { org_id: string; now: string }) =>
    db.selectFrom("key_requests")
      .select(["id", "head", "tail", "offer", "policy", "decide_by", "tell_at"])
      .where("org_id", "=", p.org_id).where("state", "=", sql.lit("pending"))
      .where("tell_at", "is not", null).where("tell_at", "<=", p.now)
      .orderBy("tell_at").orderBy("id").limit(sql.lit(TOLD_AT_ONCE)),
  (query) => query.forUpdate().skipLocked(),
);

/** Sets what is promised of a pending request. False where it is decided. */
export const setPromised = changed((db, p: { org_id: string; id: string } & Promised) =>
  db.updateTable("key_requests").set({ decide_by: p.decide_by, tell_at: p.tell_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("pending"))
);

/** Begins the hours of a pending request, which is held. `policy`: as it is stored with it. */
export async function beginPromise(
  tx: Tx,
  { org_id, id, policy, now, before = policy }: {
    org_id: string;
    id: string;
    policy: string | null;
    now: number;
    /** The same before a change; absent: there was none. */
    before?: string | null;
  },
): Promise<void> {
  const promised = promisedFrom(policy, now);
  if (promised.decide_by === null && promisedFrom(before, now).decide_by === null) return;
  await setPromised(tx, { org_id, id, ...promised });
}
