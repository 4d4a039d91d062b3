import type { Actor } from "../../changes/audit.ts";
import { changedMembers } from "../../changes/changed-members.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { recordChange } from "../../changes/record-change.ts";
import { type Known, knownMembers } from "../../changes/known-members.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { requireRevision, revisionOf } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { raiseRevision } from "./catalogue-revision.store.ts";
import { changedPlan, type Plan, type PlanChange, type PlanIds } from "./plan.ts";
import { planNames } from "./member-names.ts";
import { insertPlan, lockPlan, markDeleted, replacePlan } from "./plans.store.ts";

const ofRecord = knownMembers(planNames);
/** What Keydesk knows of a plan; the rest is its client's own. */
const ofPlan: Known = (name) =>
  name === "partitions" || name === "when_leaked" ? true : ofRecord(name);

/**
 * Adds a plan and gives its `_id`, of the first call where this one repeats it. Throws
 * `plan_id_taken`, of a plan that is gone too, and `plan_name_taken`.
 */
export const createPlan = defineTransaction(
  "plans.create",
  async (
    tx,
    input: { actor: Actor; plan: Plan; idempotency?: IdempotentCall | null },
  ): Promise<string> => {
    const { actor, plan, idempotency = null } = input;
    const { org_id, now } = actor;
    const { _id: id, id: given_id, name, auth_type } = plan;
    return await once(tx, idempotency, async () => {
      const row = { org_id, id, given_id, name, auth_type, document: JSON.stringify(plan) };
      await insertPlan(tx, { ...row, date_created: toTimestamp(now) });
      // Entries that name it by one id are from now on found by the other, too.
      if (given_id !== id) await raiseRevision(tx, { org_id });
      const detail = changedMembers({}, { ...plan }, ofPlan);
      await recordChange(tx, actor, {
        action: "plan.created",
        object_id: given_id,
        detail,
        names: { object: name },
      });
      // Keys may name it already: references are open.
      await invalidatePlan(tx, org_id, plan, now);
      return id;
    });
  },
);

/**
 * Changes a plan; every node that verifies by it hears of that. `ifMatch` as ifMatchOf gives it.
 * Throws `not_found`, `precondition_failed` and `plan_name_taken`.
 */
export const updatePlan = defineTransaction(
  "plans.update",
  async (
    tx,
    input: {
      actor: Actor;
      id: string;
      change: PlanChange;
      ifMatch?: string[] | null;
      idempotency?: IdempotentCall | null;
    },
  ) => {
    const { actor, id, change, ifMatch = null, idempotency = null } = input;
    const { org_id, now } = actor;
    await once(tx, idempotency, async () => {
      const before = await lockPlan(tx, org_id, id);
      if (!before) throw new Failure("not_found");
      requireRevision(ifMatch, revisionOf(before));
      const after = changedPlan(before, change);
      await replacePlan(tx, org_id, after);
      const detail = changedMembers({ ...before }, { ...after }, ofPlan);
      const object_id = before.id;
      await recordChange(tx, actor, {
        action: "plan.updated",
        object_id,
        detail,
        names: { object: after.name },
      });
      await invalidatePlan(tx, org_id, before, now);
      return null;
    });
  },
);

/**
 * Deletes a plan and leaves a tombstone, so that its keys are closed and not lifted. Throws
 * `not_found_for_deletion`.
 */
export const removePlan = defineTransaction(
  "plans.remove",
  async (tx, input: { actor: Actor; id: string; ifMatch?: string[] | null }) => {
    const { actor, id, ifMatch = null } = input;
    const { org_id, now } = actor;
    const before = await lockPlan(tx, org_id, id);
    if (!before) throw new Failure("not_found_for_deletion");
    requireRevision(ifMatch, revisionOf(before));
    const object_id = before.id;
    if (!await markDeleted(tx, org_id, before._id, toTimestamp(now))) {
      throw new Failure("not_found_for_deletion");
    }
    const detail = changedMembers({ ...before }, {}, ofPlan);
    await recordChange(tx, actor, {
      action: "plan.deleted",
      object_id,
      detail,
      names: { object: before.name },
    });
    await invalidatePlan(tx, org_id, before, now);
  },
);

/** Keys may name a plan by either id, and memory keeps it under the one that they name. */
async function invalidatePlan(tx: Tx, org_id: string, { _id, id }: PlanIds, now: number) {
  for (const object_id of new Set([_id, id])) {
    await invalidate(tx, { org_id, kind: "plan", object_id, now });
  }
}
