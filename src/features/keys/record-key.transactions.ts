import type { Actor } from "../../changes/audit.ts";
import { invalidate } from "../../changes/invalidation.ts";
import type { Personal } from "../../changes/personal.ts";
import { recordChange } from "../../changes/record-change.ts";
import type { Tx } from "../../storage/storage.ts";

/** The change of a key that others may remember: audit, outbox, and the word to those who verify from memory. */
export async function recordKey(
  tx: Tx,
  actor: Actor,
  action: string,
  key_id: string,
  detail: Readonly<Record<string, unknown>>,
  personal?: Personal,
): Promise<void> {
  await recordChange(tx, actor, { action, object_id: key_id, detail, personal });
  await invalidate(tx, { org_id: actor.org_id, kind: "key", object_id: key_id, now: actor.now });
}
