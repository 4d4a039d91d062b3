import type { Actor } from "../../changes/audit.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import { findStateChange } from "./key-life.store.ts";
import { lockKeyWithOwner } from "./lock-key.transactions.ts";
import { changeLockedKey } from "./key-life.transactions.ts";
import { LONGEST_MINUTES } from "../../contract/key-suspension.ts";
import { MINUTE_MS, OVER_AGAIN } from "./timed-suspension.ts";
import { findTimedSuspension, removeTimedSuspension } from "./timed-suspensions.store.ts";

/**
 * Resumes a key whose suspension is over. If it was resumed, revoked or suspended anew meanwhile,
 * only the end is forgotten. Gives whether it resumed it.
 */
export async function resumeTimed(tx: Tx, actor: Actor, key_id: string): Promise<boolean> {
  const { org_id, now } = actor;
  const locked = await lockKeyWithOwner(tx, org_id, key_id);
  const timed = await findTimedSuspension(tx, { org_id, key_id });
  if (!timed) return false;
  const isTooFar = timed.resume_at > toTimestamp(now + LONGEST_MINUTES * MINUTE_MS);
  if (timed.resume_at > toTimestamp(now) && !isTooFar) return false;
  await removeTimedSuspension(tx, { org_id, key_id });
  const isStill = locked?.credential.state === "suspended" &&
    await findStateChange(tx, { org_id, key_id }) === timed.suspended_at;
  if (!locked || !isStill) return false;
  await changeLockedKey(tx, actor, locked, "resume", OVER_AGAIN);
  return true;
}
