import type { Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { noteCalling, noteSilent, watchedGateways } from "./checking-gateways.store.ts";
import { newsOf, type SilenceLook } from "./silent-gateways.ts";

/**
 * Tells of gateways of an organisation that fell silent and of those that call again, each time
 * once; gives of how many.
 */
export const reportSilentGateways = defineTransaction(
  "silent-gateways.report",
  async (tx, { actor, look }: { actor: Actor; look: SilenceLook }): Promise<number> => {
    const { org_id, now } = actor;
    let reported = 0;
    for (const gateway of await watchedGateways(tx, { org_id })) {
      const news = newsOf(gateway, look);
      if (news === undefined) continue;
      const { id, name, silent_minutes, last_call_at } = gateway;
      const isNew = news === "silent"
        ? await noteSilent(tx, { org_id, id, at: toTimestamp(now) })
        : await noteCalling(tx, { org_id, id });
      if (!isNew) continue;
      reported++;
      await recordChange(tx, actor, {
        action: news === "silent" ? "door.silent" : "door.calling",
        object_id: id,
        detail: { name, silent_minutes, last_call_at },
      });
    }
    return reported;
  },
);
