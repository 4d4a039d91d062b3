import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { promiseStep } from "../key-requests/promise.ts";
import { lockToTell, setPromised, TOLD_AT_ONCE } from "../key-requests/promises.store.ts";
import { namesOfRequest } from "../key-requests/request-names.store.ts";
import { alertLease } from "./alerts.store.ts";
import { actorOfAlerts } from "./alerts.transactions.ts";

/**
 * Tells of requests that are soon late, or late, a batch at the most, and what comes next of each
 * in the same transaction: whatever becomes of a node, of each once. Gives of how many, and whether
 * there may be more; none while another node does it.
 */
export const tellOfPromises = defineTransaction(
  "alerts.tell-of-promises",
  async (
    tx,
    { org_id, holder, now }: { org_id: string; holder: string; now: number },
  ): Promise<{ told: number; more: boolean }> => {
    if (!await alertLease.hold(tx, holder, now)) return { told: 0, more: false };
    const rows = await lockToTell(tx, { org_id, now: toTimestamp(now) });
    let told = 0;
    for (const row of rows) {
      const { id } = row;
      const { tell, next } = promiseStep(row, now);
      await setPromised(tx, { org_id, id, ...next });
      if (tell === null) continue;
      told++;
      await recordChange(tx, actorOfAlerts(org_id, now), {
        action: `key_request.${tell}`,
        object_id: id,
        detail: { decide_by: next.decide_by },
        names: await namesOfRequest(tx, org_id, row),
      });
    }
    return { told, more: rows.length === TOLD_AT_ONCE };
  },
);
