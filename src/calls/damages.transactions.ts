import type { Actor } from "../changes/audit.ts";
import { type Damaged, insertDamage } from "../changes/damages.store.ts";
import { recordChange } from "../changes/record-change.ts";
import { toTimestamp } from "../kernel/clock.ts";
import { defineTransaction } from "../storage/storage.ts";

/** Notes that a row is damaged, with an audit row (`<object>.damaged`), once until it is mended. */
export const noteDamage = defineTransaction(
  "damages.note",
  async (tx, input: Damaged & { what: string; now: number }): Promise<boolean> => {
    const { now, ...damage } = input;
    if (!await insertDamage(tx, { ...damage, found_at: toTimestamp(now) })) return false;
    const { org_id, object, object_id, what } = damage;
    const actor: Actor = { org_id, user_id: "keydesk", token_id: "", now };
    await recordChange(tx, actor, { action: `${object}.damaged`, object_id, detail: { what } });
    return true;
  },
);
