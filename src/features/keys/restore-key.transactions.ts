import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { personalReason } from "../../changes/personal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { markState } from "./key-life.store.ts";
import { openKept } from "./ended-key.ts";
import { findEndedKey, removeEndedKey } from "./ended-keys.store.ts";
import { updateDeveloper } from "../developers/developers.store.ts";
import { withKeyAgain } from "../developers/key-maps.ts";
import { type LockedKey, lockSeenKey } from "./lock-key.transactions.ts";
import { requireMove } from "./key.ts";
import { recordKey } from "./record-key.transactions.ts";

/**
 * Brings back a revoked key as it was, into its developer's maps too. Throws `not_found`,
 * `key_not_revoked`, `key_revoked` where it is so for good, and `developer_deleted` where it comes
 * with its developer alone.
 */
export const restoreKey = defineTransaction(
  "keys.restore",
  (
    tx,
    input: { actor: Actor; key_id: string; reason: string; idempotency: IdempotentCall | null },
  ) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, reason } = input;
      const locked = await lockSeenKey(tx, actor, key_id);
      if (!locked) throw new Failure("not_found");
      await restoreLockedKey(tx, actor, locked, reason);
      return null;
    }),
);

/**
 * Brings back a revoked key that this transaction holds. Throws as restoreKey does, but for
 * `not_found`.
 */
export async function restoreLockedKey(
  tx: Tx,
  actor: Actor,
  { credential: key, developer }: LockedKey,
  reason: string,
): Promise<void> {
  const { org_id } = actor;
  const { key_id } = key;
  const at = toTimestamp(actor.now);
  requireMove("restore", key, at);
  const ended = await findEndedKey(tx, { org_id, key_id });
  const kept = ended && openKept(tx.sealer, org_id, ended, at);
  if (!ended || !kept) throw new Failure("key_revoked");
  if (ended.deletion !== "") throw new Failure("developer_deleted");
  // A suspended key keeps its reason.
  const why = kept.state === "suspended" ? kept.reason ?? reason : reason;
  const change = { state: kept.state, at, reason: why };
  // Purged at this moment: then its time is over.
  if (!await removeEndedKey(tx, { org_id, key_id })) throw new Failure("key_revoked");
  if (!await markState(tx, key, change)) throw new Failure("unavailable");
  if (developer && kept.maps) {
    const again = { key_id, plans: key.plans };
    await updateDeveloper(tx, org_id, withKeyAgain(developer, again, kept.maps));
  }
  const detail = { state: kept.state };
  const of = { credential: key, developer };
  await recordKey(tx, actor, "credential.restored", of, detail, personalReason(reason));
}
