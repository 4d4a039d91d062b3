import { addToOutbox } from "../../changes/outbox.ts";
import { readCheckpoint } from "../../../packages/audit-log/checkpoint.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { noteNotified } from "./announced-checkpoints.store.ts";
import { findLog } from "./logs.store.ts";

/** The topic of checkpoints for channels. */
export const HEAD_TOPIC = "trail.head";

/**
 * Sends channels the size of a log, unless they have it, or got one since `before`. No audit row:
 * no one decided anything, and each row would make the next checkpoint. Returns whether it sent.
 */
export const notifyOfCheckpoint = defineTransaction(
  "trail.tell-head",
  async (tx, input: { org_id: string; now: number; before: string }): Promise<boolean> => {
    const { org_id, now, before } = input;
    const { checkpoint = "" } = await findLog(tx, org_id) ?? {};
    if (checkpoint === "") return false;
    const { size, root } = readCheckpoint(checkpoint, []).head;
    if (!await noteNotified(tx, { org_id, size, at: toTimestamp(now), before })) return false;
    const actor = { org_id, user_id: "operator", token_id: "", now };
    const detail = { size, root, checkpoint };
    await addToOutbox(tx, actor, { topic: HEAD_TOPIC, object_id: org_id, detail });
    return true;
  },
);
