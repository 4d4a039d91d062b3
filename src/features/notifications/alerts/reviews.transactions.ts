import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { namesOfDevelopers } from "../../developers/developer-names.store.ts";
import { dueReviews, REVIEWS_AT_ONCE } from "../../keys/key-reviews.store.ts";
import { calledKey } from "../../keys/key-labels.ts";
import { alertLease, reviewPlace, setProgress } from "./alerts.store.ts";
import { actorOfAlerts } from "./alerts.transactions.ts";

/**
 * Tells of keys whose day has come that people set to look at them again, a batch at the
 * most, and notes how far it has come in the same transaction: whatever becomes of a node, of each
 * key once. Gives of how many; none while another node does it.
 */
export const notifyOfReviews = defineTransaction(
  "alerts.tell-of-reviews",
  async (
    tx,
    { org_id, holder, now }: { org_id: string; holder: string; now: number },
  ): Promise<number> => {
    if (!await alertLease.take(tx, holder, now)) return 0;
    const place = await reviewPlace(tx, org_id);
    const due = await dueReviews(tx, { org_id, ...place, now: toTimestamp(now) });
    const names = await namesOfDevelopers(tx, org_id, due.map((key) => key.developer_id));
    for (const key of due) {
      const { key_id, review_at, developer_id } = key;
      await recordChange(tx, actorOfAlerts(org_id, now), {
        action: "credential.review_due",
        object_id: key_id,
        detail: { review_at },
        names: { object: calledKey(key), ...names.get(developer_id) },
      });
    }
    const last = due.at(-1);
    if (!last) return 0;
    // Once all are reported, a key that replaces one of them is not reported again.
    const reached = due.length < REVIEWS_AT_ONCE
      ? { ends_at: toTimestamp(now), tie: "~" }
      : { ends_at: last.review_at, tie: last.key_id };
    await setProgress(tx, { org_id, object: "review", days: 0, ...reached });
    return due.length;
  },
);
