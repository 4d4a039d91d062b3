import type { Actor } from "../../changes/audit.ts";
import type { EventNames } from "../../changes/event-names.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import { calledKey } from "./key-labels.ts";
import { markState } from "./credential-life.store.ts";
import { lockLiveKeys } from "./end-keys.store.ts";

/** What becomes of a developer's keys when the developer is deleted. */
export type KeysChoice = "revoke" | "keep";

const REASON = "developer deleted";

/**
 * Ends the keys of a developer who is being deleted, or lets them live on, still naming that developer. Gives how
 * many were revoked. `names`: the developer's. To be called last: verification's counter is held from here to the commit.
 */
export async function endKeysOf(
  tx: Tx,
  actor: Actor,
  developer_id: string,
  choice: KeysChoice,
  names: EventNames | undefined,
): Promise<number> {
  if (choice === "keep") return 0;
  const { org_id, now } = actor;
  const keys = await lockLiveKeys(tx, org_id, developer_id);
  for (const credential of keys) {
    const change = { state: "revoked", at: toTimestamp(now), reason: REASON } as const;
    await markState(tx, credential, change);
    await recordChange(tx, actor, {
      action: "credential.revoked",
      object_id: credential.key_id,
      detail: { reason: REASON, developer_id },
      names: { object: calledKey(credential), ...names },
    });
  }
  for (const { key_id } of keys) {
    await invalidate(tx, { org_id, kind: "key", object_id: key_id, now });
  }
  return keys.length;
}
