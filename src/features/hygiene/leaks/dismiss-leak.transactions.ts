import type { Actor } from "../../../changes/audit.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { lockSeenKey } from "../../keys/lock-key.transactions.ts";
import { recordKey } from "../../keys/record-key.transactions.ts";
import { markDismissed, wasReported } from "./leaks.store.ts";

/**
 * Says of a key that was reported as leaked that it is not so, once; said again it changes nothing.
 * Throws `not_found`, also for a key that no one has reported.
 */
export const dismissLeak = defineTransaction(
  "leaks.dismiss",
  async (tx, input: { actor: Actor; key_id: string; reason: string }) => {
    const { actor, key_id, reason } = input;
    const { org_id, now } = actor;
    const locked = await lockSeenKey(tx, actor, key_id);
    if (!locked || !await wasReported(tx, { org_id, key_id })) throw new Failure("not_found");
    const by = { at: toTimestamp(now), by: actor.user_id };
    if (await markDismissed(tx, { org_id, key_id, ...by }) === 0) return null;
    await recordKey(tx, actor, "credential.leak_dismissed", locked, { reason });
    return null;
  },
);
