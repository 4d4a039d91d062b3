import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import type { Tx } from "../../../storage/storage.ts";
import { type Asked, keepSeen } from "./followed-key.ts";
import { LOSSES_MS, MOST_LOSSES } from "./lazy-migration.ts";
import { isAnyAwaiting, noteLosses } from "./lazy-migration.store.ts";
import { readSeen } from "./gateway-answers.ts";

/**
 * Whether a key may lose access because of what its gateway says: at most five within an hour do by
 * themselves. Of more, all wait for a person's yes, and so does one that is gone where the gateway
 * has another canary than when it was last there: a Redis that was emptied looks so. Says so once
 * where the first one waits.
 */
export async function mayLose(tx: Tx, asked: Asked): Promise<boolean> {
  const { org_id, gateway_id, migrated, lazyMigration, canary, said, atOnce, now } = asked;
  const { confirmed_at, losses_since, losses } = lazyMigration;
  const { awaits_since } = migrated;
  const at = toTimestamp(now);
  const place = { org_id, gateway_id };
  const behind = confirmed_at ?? "";
  if (awaits_since !== null && awaits_since <= behind) return true;
  const isAwaited = await isAnyAwaiting(tx, { ...place, behind });
  const before = readSeen(migrated.seen)?.canary ?? "";
  const isOther = said.is === "gone" && before !== "" && before !== canary;
  const from = toTimestamp(now - LOSSES_MS);
  const recent = losses_since !== null && losses_since > from ? Number(losses) : 0;
  const isFew = atOnce <= MOST_LOSSES && recent < MOST_LOSSES;
  if (!isAwaited && !isOther && isFew) {
    const since = recent === 0 || losses_since === null ? at : losses_since;
    await noteLosses(tx, { ...place, losses: recent + 1, losses_since: since });
    return true;
  }
  if (awaits_since !== null) return false;
  await keepSeen(tx, migrated, { awaits_since: at });
  if (isAwaited) return false;
  const detail = { why: isOther ? "another_canary" : "too_many", key_id: migrated.key_id };
  const action = "gateway.losses_await";
  await recordChange(tx, asked.actor, { action, object_id: gateway_id, detail });
  return false;
}
