import type { Actor } from "../../../changes/audit.ts";
import { invalidate } from "../../../changes/invalidation.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { lockPlan } from "../../plans/plans.store.ts";
import { findSwitch, putSwitch, type SwitchRow } from "./plan-switch.store.ts";

/** The side that decides about the keys of a plan. */
export type Decided = SwitchRow["decided"];

/**
 * Sets who decides about the keys of a plan; every node that verifies hears of it. A setting that
 * is so already is not changed again and is not logged. Throws `not_found`.
 */
export const switchPlan = defineTransaction(
  "meter.switch-plan",
  async (tx, { actor, plan, decided }: { actor: Actor; plan: string; decided: Decided }) => {
    const { org_id, now } = actor;
    const named = await lockPlan(tx, org_id, plan);
    if (!named) throw new Failure("not_found");
    const before = await findSwitch(tx, { org_id, plan: named._id });
    const row = before ?? { plan: named._id, decided: "there", changed_at: null, changed_by: null };
    if (row.decided === decided) return row;
    const changed_at = toTimestamp(now);
    const after = { plan: named._id, decided, changed_at, changed_by: actor.user_id };
    await putSwitch(tx, { org_id, ...after });
    await recordChange(tx, actor, {
      action: "plan_switch.updated",
      object_id: named.id,
      detail: { plan: named._id, before: { decided: row.decided }, after: { decided } },
      names: { object: named.name },
    });
    for (const object_id of new Set([named._id, named.id])) {
      await invalidate(tx, { org_id, kind: "plan", object_id, now });
    }
    return after;
  },
);
