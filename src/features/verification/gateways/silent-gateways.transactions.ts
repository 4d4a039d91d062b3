import type { Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { noteCalling, noteSilent, watchedDoors } from "./checking-gateways.store.ts";
import { type DoorLook, newsOf } from "./silent-gateways.ts";

/**
 * Tells of doors of an organisation that fell silent and of those that call again, each time once;
 * gives of how many.
 */
export const tellOfDoors = defineTransaction(
  "doors.tell",
  async (tx, { actor, look }: { actor: Actor; look: DoorLook }): Promise<number> => {
    const { org_id, now } = actor;
    let told = 0;
    for (const door of await watchedDoors(tx, { org_id })) {
      const news = newsOf(door, look);
      if (news === undefined) continue;
      const { id, name, silent_minutes, last_call_at } = door;
      const isNew = news === "silent"
        ? await noteSilent(tx, { org_id, id, at: toTimestamp(now) })
        : await noteCalling(tx, { org_id, id });
      if (!isNew) continue;
      told++;
      await recordChange(tx, actor, {
        action: news === "silent" ? "door.silent" : "door.calling",
        object_id: id,
        detail: { name, silent_minutes, last_call_at },
      });
    }
    return told;
  },
);
