import { toTimestamp } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import type { Tx } from "../storage/storage.ts";
import type { Actor } from "./audit.ts";
import { insertMessage } from "./outbox.store.ts";

/** Leaves a message for those who want to hear of this change, in the transaction that makes it. */
export async function addToOutbox(
  tx: Tx,
  actor: Actor,
  message: { topic: string; object_id: string },
): Promise<void> {
  await insertMessage(tx, {
    org_id: actor.org_id,
    id: newId(actor.now),
    at: toTimestamp(actor.now),
    topic: message.topic,
    object_id: message.object_id,
  });
}
