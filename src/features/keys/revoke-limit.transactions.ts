import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { lockPerson } from "../people/people.store.ts";
import { LIMIT_KEPT_MS, limitedFor, withEnded, withinTheHour } from "./revoke-limit.ts";
import {
  findEndedByOthers,
  lockEndedCount,
  markReported,
  setEndedCount,
} from "./revoke-limit.store.ts";

/**
 * Counts keys that this transaction shuts, for the access token that calls; all of its person's
 * have one limit, or a second one would begin anew. Person and count are held behind developer and
 * keys and before all counters, so that two of one person wait for each other and for
 * nothing else. Throws `too_many_revoked`.
 */
export async function passRevokeLimit(
  tx: Tx,
  { org_id, user_id, token_id, now }: Actor,
  atMost: number | null,
  keys: number,
): Promise<void> {
  if (atMost === null || keys === 0) return;
  const place = { org_id, token_id };
  const expires_at = toTimestamp(now + LIMIT_KEPT_MS);
  await lockPerson(tx, { org_id, id: user_id });
  const count = await lockEndedCount(tx, place, expires_at);
  if (!count) throw new Failure("unavailable");
  const others = await findEndedByOthers(tx, { ...place, user_id });
  const ended = [count.minutes, ...others].flat();
  const retryAfterSeconds = limitedFor(ended, { keys, atMost }, now);
  if (retryAfterSeconds > 0) throw new Failure("too_many_revoked", { retryAfterSeconds });
  const minutes = withEnded(withinTheHour(count.minutes, now), keys, now);
  await setEndedCount(tx, place, minutes, expires_at);
}

/** Tells that an access token reached the limit of its person, once an hour. */
export const reportRevokeLimit = defineTransaction(
  "keys.report-revoke-limit",
  async (tx, input: { actor: Actor; at_most: number }): Promise<boolean> => {
    const { actor, at_most } = input;
    const { org_id, token_id, now, user_id } = actor;
    const times = { at: toTimestamp(now), since: toTimestamp(now - LIMIT_KEPT_MS) };
    // Others of its person may have reached it: then it has ended nothing yet.
    await lockEndedCount(tx, { org_id, token_id }, toTimestamp(now + LIMIT_KEPT_MS));
    if (!await markReported(tx, { org_id, token_id, ...times })) return false;
    await recordChange(tx, actor, {
      action: "access_token.braked",
      object_id: token_id,
      detail: { person_id: user_id, at_most },
    });
    return true;
  },
);
