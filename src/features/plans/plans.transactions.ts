import type { Actor } from "../../changes/audit.ts";
import { changedMembers } from "../../changes/changed-members.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { recordChange } from "../../changes/record-change.ts";
import { type Known, knownMembers } from "../../changes/known-members.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { raiseRevision } from "./catalogue-revision.store.ts";
import {
  additionsOf,
  additionsRow,
  changedPlan,
  type Plan,
  type PlanAdditions,
  type PlanAdditionsChange,
  type PlanChange,
  type PlanIds,
  planRevision,
} from "./plan.ts";
import { planNames } from "./member-names.ts";
import {
  findAdditions,
  insertPlan,
  lockPlan,
  markDeleted,
  replacePlan,
  setAdditions,
} from "./plans.store.ts";

const ofRecord = knownMembers(planNames);
const BESIDE = [
  "partitions",
  "when_leaked",
  "expiry_applies_to",
  "max_keys_per_developer",
  "price_text",
];
/** Keydesk's members of a plan; the rest is its client's own. */
const ofPlan: Known = (name) => BESIDE.includes(name) ? true : ofRecord(name);

/**
 * Adds a plan and gives its `_id`, of the first call where this one repeats it. Throws
 * `plan_id_taken`, of a plan that is gone too, and `plan_name_taken`.
 */
export const createPlan = defineTransaction(
  "plans.create",
  async (
    tx,
    input: {
      actor: Actor;
      plan: Plan;
      additions?: PlanAdditionsChange;
      idempotency?: IdempotentCall | null;
    },
  ): Promise<string> => {
    const { actor, plan, idempotency = null } = input;
    const additions = changedAdditions(USUAL, input.additions);
    const { org_id, now } = actor;
    const { _id: id, id: given_id, name, auth_type } = plan;
    return await once(tx, idempotency, async () => {
      const row = { org_id, id, given_id, name, auth_type, document: JSON.stringify(plan) };
      await insertPlan(tx, { ...row, ...additionsRow(additions), date_created: toTimestamp(now) });
      // Entries that name it by one id are from now on found by the other, too.
      if (given_id !== id) await raiseRevision(tx, { org_id });
      const stated = additions === USUAL ? {} : additions;
      const detail = changedMembers({}, { ...plan, ...stated }, ofPlan);
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
      additions?: PlanAdditionsChange;
      ifMatch?: string[] | null;
      idempotency?: IdempotentCall | null;
    },
  ) => {
    const { actor, id, change, ifMatch = null, idempotency = null } = input;
    const { org_id, now } = actor;
    await once(tx, idempotency, async () => {
      const before = await lockPlan(tx, org_id, id);
      if (!before) throw new Failure("not_found");
      const additions = await additionsOfPlan(tx, org_id, before);
      requireRevision(ifMatch, planRevision(before, additions));
      const after = changedPlan(before, change);
      await replacePlan(tx, org_id, after);
      const additionsAfter = changedAdditions(additions, input.additions);
      if (additionsAfter !== additions) {
        await setAdditions(tx, { org_id, id: before._id, ...additionsRow(additionsAfter) });
      }
      const detail = changedMembers(
        { ...before, ...additions },
        { ...after, ...additionsAfter },
        ofPlan,
      );
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
    requireRevision(ifMatch, planRevision(before, await additionsOfPlan(tx, org_id, before)));
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

const USUAL: PlanAdditions = {
  expiry_applies_to: "key",
  max_keys_per_developer: null,
  price_text: "",
};

async function additionsOfPlan(
  tx: Tx,
  org_id: string,
  { _id: id }: PlanIds,
): Promise<PlanAdditions> {
  const row = await findAdditions(tx, { org_id, id });
  return row ? additionsOf(row) : USUAL;
}

/** The additions after a change: the very same object where nothing changes. */
function changedAdditions(before: PlanAdditions, change: PlanAdditionsChange = {}): PlanAdditions {
  const { expiry_applies_to = before.expiry_applies_to, price_text = before.price_text } = change;
  const { max_keys_per_developer = before.max_keys_per_developer } = change;
  const after = { expiry_applies_to, max_keys_per_developer, price_text };
  return JSON.stringify(after) === JSON.stringify(before) ? before : after;
}

/** Keys may name a plan by either id, and memory keeps it under the one that they name. */
async function invalidatePlan(tx: Tx, org_id: string, { _id, id }: PlanIds, now: number) {
  for (const object_id of new Set([_id, id])) {
    await invalidate(tx, { org_id, kind: "plan", object_id, now });
  }
}
