import { type Actor, recordAudit } from "../../changes/audit.ts";
import type { Tx } from "../../storage/storage.ts";
import { lockSessionsOf, removeGrantOf, removeSession, sessionsOf } from "./sessions.store.ts";

/** Ends a session. False where it had ended already. */
export async function endOne(
  tx: Tx,
  actor: Actor,
  id: string,
  detail?: Record<string, unknown>,
): Promise<boolean> {
  if (!await removeSession(tx, { org_id: actor.org_id, id })) return false;
  await removeGrantOf(tx, { org_id: actor.org_id, id });
  await recordAudit(tx, actor, {
    action: "session.ended",
    object: "session",
    object_id: id,
    detail,
  });
  return true;
}

/** Ends all sessions of a person for good, open or over. Gives how many there were. */
export async function endSessionsOf(
  tx: Tx,
  actor: Actor,
  user_id: string,
  reason: string,
): Promise<number> {
  const { org_id } = actor;
  // None begins meanwhile that would be left over.
  await lockSessionsOf(tx, { org_id, id: user_id });
  let ended = 0;
  for (const { id } of await sessionsOf(tx, { org_id, user_id })) {
    if (await endOne(tx, actor, id, { person_id: user_id, reason })) ended++;
  }
  return ended;
}
