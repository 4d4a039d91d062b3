import { type Actor, recordAudit } from "../../changes/audit.ts";
import type { Tx } from "../../storage/storage.ts";
import { removeDeveloperSession } from "./sessions-of-identities.store.ts";

/** Ends a session of a developer; `reason`: why, where they did not. False where there is none. */
export async function endSessionOf(
  tx: Tx,
  actor: Actor,
  developer_id: string,
  id: string,
  reason?: string,
): Promise<boolean> {
  if (!await removeDeveloperSession(tx, { org_id: actor.org_id, developer_id, id })) return false;
  await recordAudit(tx, actor, {
    action: "developer_session.ended",
    object: "developer_session",
    object_id: id,
    detail: { developer_id, ...reason === undefined ? {} : { reason } },
  });
  return true;
}
