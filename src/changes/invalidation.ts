import { toTimestamp } from "../kernel/clock.ts";
import type { Tx } from "../storage/storage.ts";
import { insertInvalidation } from "./invalidations.store.ts";
import { want } from "./provisioning.ts";

/** A node that did not look for longer than this looks at everything again. */
export const KEPT_MS = 10 * 60 * 1000;

/**
 * Says, in the transaction that changes it, that a key or a plan has changed: every node that
 * verifies from memory reads it again within its second, and gateways are brought to it. To be
 * called once it is written. Not for new keys: no one remembers those.
 */
export async function invalidate(
  tx: Tx,
  changed: { org_id: string; kind: "key" | "plan"; object_id: string; now: number },
): Promise<void> {
  const { now, ...row } = changed;
  await want(tx, changed);
  await insertInvalidation(tx, { ...row, at: toTimestamp(now) }, toTimestamp(now - KEPT_MS));
}
