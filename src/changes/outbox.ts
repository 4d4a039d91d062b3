import { toTimestamp } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import type { Tx } from "../storage/storage.ts";
import type { Actor } from "./audit.ts";
import { insertMessage } from "./outbox.store.ts";

/** Details of a message beyond its ids. They never contain a secret or personal data. */
type MessageDetail = Readonly<Record<string, string | number>>;

/**
 * Leaves a message for those who want to hear of this change, in the transaction that makes it;
 * gives the message's id. Of the actor and the call it keeps ids alone, those of the row in the
 * audit log.
 */
export async function addToOutbox(
  tx: Tx,
  actor: Actor,
  message: { topic: string; object_id: string; detail?: MessageDetail },
): Promise<string> {
  const { topic, object_id } = message;
  const temporaryAccess = actor.call?.temporaryAccess;
  const detail = temporaryAccess
    ? { ...message.detail, elevation: temporaryAccess }
    : message.detail;
  const id = newId(actor.now);
  await insertMessage(tx, {
    org_id: actor.org_id,
    id,
    at: toTimestamp(actor.now),
    topic,
    object_id,
    request_id: actor.call?.request_id ?? "",
    caller_request_id: actor.call?.caller_request_id ?? "",
    actor: actor.user_id,
    detail: detail === undefined ? null : JSON.stringify(detail),
  });
  return id;
}
