import { toTimestamp } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { statement } from "../storage/statement.ts";
import type { Tx } from "../storage/storage.ts";
import type { Actor } from "./audit.ts";

const insert = statement<Record<"org_id" | "id" | "at" | "topic" | "object_id", string>>()(
  (db, p) =>
    db.insertInto("outbox_events").values({
      org_id: p.org_id,
      id: p.id,
      at: p.at,
      topic: p.topic,
      object_id: p.object_id,
    }),
);

/** Leaves a message for those who want to hear of this change, in the transaction that makes it. */
export async function addToOutbox(
  tx: Tx,
  actor: Actor,
  message: { topic: string; object_id: string },
): Promise<void> {
  await tx.send(insert, {
    org_id: actor.org_id,
    id: newId(actor.now),
    at: toTimestamp(actor.now),
    topic: message.topic,
    object_id: message.object_id,
  });
}
