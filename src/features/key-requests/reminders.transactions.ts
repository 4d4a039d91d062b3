import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { lockRequest } from "./key-requests.store.ts";
import { waitsAt } from "./offer.ts";
import { namesOfRequest } from "./request-names.store.ts";
import { termsOf } from "./stored-request.ts";
import { setReminded } from "./v1.store.ts";

/** So long after one reminder there is no other, in milliseconds. */
const DAY_MS = 86_400_000;

/**
 * Reminds those who decide of a developer's request that waits longer than `usual_seconds`; null:
 * no one knows how long requests wait, and none is late. Once in 24 hours, so of presses at the
 * same time one reminds. Throws `not_found`, for another's too, `already_decided`, `offer_waits`,
 * `not_late` and `reminded_already`.
 */
export const remind = defineTransaction(
  "key-requests.remind",
  async (
    tx,
    input: { actor: Actor; id: string; askedBy: string; usual_seconds: number | null },
  ): Promise<null> => {
    const { actor, id, askedBy, usual_seconds } = input;
    const { org_id, now } = actor;
    const row = await lockRequest(tx, { org_id, id });
    if (!row || termsOf(row).by_user !== askedBy) throw new Failure("not_found");
    if (row.state !== "pending") throw new Failure("already_decided");
    if (waitsAt(row.offer, now)) {
      throw new Failure("offer_waits", { message: "An offer waits for your answer." });
    }
    const isLate = usual_seconds !== null && now > Date.parse(row.instant) + usual_seconds * 1000;
    if (!isLate) throw new Failure("not_late");
    const isRecent = row.reminded_at !== null && row.reminded_at > toTimestamp(now - DAY_MS);
    if (isRecent) throw new Failure("reminded_already");
    if (!await setReminded(tx, { org_id, id, at: toTimestamp(now) })) {
      throw new Failure("already_decided");
    }
    await recordChange(tx, actor, {
      action: "key_request.reminded",
      object_id: id,
      detail: {},
      names: await namesOfRequest(tx, org_id, row),
    });
    return null;
  },
);
