import type { Actor } from "../../changes/audit.ts";
import { changedMembers } from "../../changes/changed-members.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { permissionsOfRole } from "../people/granted.transactions.ts";
import { lockOrganisation } from "../people/organisations.store.ts";
import { findPerson } from "../people/people.store.ts";
import { lockPlan } from "../plans/plans.store.ts";
import {
  findPolicy,
  putPolicy,
  removePolicy,
  revisionOfPolicy,
  termsIn,
} from "./policies.store.ts";
import { NO_END, type PolicyTerms, requireFulfillable } from "./policy.ts";
import { whoCouldDecide } from "./who-could-decide.ts";
import { DEFAULT_POLICY } from "../plans/plan-policies.store.ts";

/** A policy with its plan's `_id`; "": the default. */
export interface Policy extends PolicyTerms {
  plan: string;
  updated_at: string | null;
  revision: string;
}

/** A policy as it is stored; undefined: the default that no one has set. */
export function policyIn(
  row: { plan: string; terms: string; updated_at: string } | undefined,
): Policy {
  const { plan, updated_at } = row ?? { plan: DEFAULT_POLICY, updated_at: null };
  const revision = revisionOfPolicy(row ?? { plan });
  return { ...row ? termsIn(row) : AS_EVER, plan, updated_at, revision };
}

/** The policy if none is set. */
const AS_EVER: PolicyTerms = {
  outcome: "catalogue",
  steps: [],
  not_by_filer: false,
  ...NO_END,
};

/**
 * Sets who must approve: of a plan that either id names, or by default. Throws `not_found`,
 * `policy_unfulfillable`, `unknown_role` and `precondition_failed`; `unavailable` while a node
 * serves that knows none.
 */
export const setPolicy = defineTransaction(
  "approval-policies.set",
  async (
    tx,
    { actor, plan, terms, ifMatch }: Seen & { terms: PolicyTerms },
  ): Promise<Policy> => {
    const { org_id, now } = actor;
    await lockOrganisation(tx, { org_id });
    const named = await planOf(tx, org_id, plan);
    await requireNoOlderNode(tx, now, { unknown: "approval policies", then: "set one" });
    await requireKnown(tx, org_id, terms);
    requireFulfillable(terms.steps, await whoCouldDecide(tx, org_id, named.id));
    const before = await findPolicy(tx, { org_id, plan: named.id });
    requireRevision(ifMatch, revisionOfPolicy(before ?? { plan: named.id }));
    const updated_at = laterThan(before?.updated_at, now);
    const row = { org_id, plan: named.id, terms: JSON.stringify(terms), updated_at };
    await putPolicy(tx, row);
    await record(tx, actor, named, before ? termsIn(before) : null, terms);
    return { plan: named.id, ...terms, updated_at, revision: revisionOfPolicy(row) };
  },
);

/**
 * Takes a plan's own policy away, if it has one. Throws `not_found` and `precondition_failed`.
 * Gives the default.
 */
export const endPolicy = defineTransaction(
  "approval-policies.end",
  async (tx, { actor, plan, ifMatch }: Seen & { plan: string }): Promise<Policy> => {
    const { org_id } = actor;
    await lockOrganisation(tx, { org_id });
    const named = await planOf(tx, org_id, plan);
    const before = await findPolicy(tx, { org_id, plan: named.id });
    requireRevision(ifMatch, revisionOfPolicy(before ?? { plan: named.id }));
    if (before && await removePolicy(tx, { org_id, plan: named.id })) {
      await record(tx, actor, named, termsIn(before), null);
    }
    return policyIn(await findPolicy(tx, { org_id, plan: DEFAULT_POLICY }));
  },
);

/** The policy to change, and the revisions that the caller has seen; null: any will do. */
interface Seen {
  actor: Actor;
  /** Null: the default. */
  plan: string | null;
  ifMatch: string[] | null;
}

/** A time that tells this change from the one before, whatever the clock says. */
function laterThan(before: string | undefined, now: number): string {
  return toTimestamp(Math.max(now, before === undefined ? now : Date.parse(before) + 1));
}

/** The plan's `_id`, the id by which the audit log knows it, and its name. */
async function planOf(tx: Tx, org_id: string, plan: string | null) {
  if (plan === null) return { id: DEFAULT_POLICY, object_id: org_id, name: undefined };
  const found = await lockPlan(tx, org_id, plan);
  if (!found) throw new Failure("not_found");
  return { id: found._id, object_id: found.id, name: found.name };
}

/** Throws where a step names a role or a person whom this organisation has not. */
async function requireKnown(tx: Tx, org_id: string, { steps }: PolicyTerms): Promise<void> {
  for (const [i, { role, people }] of steps.entries()) {
    if (role !== null && !await permissionsOfRole(tx, org_id, role)) {
      throw new Failure("unknown_role");
    }
    for (const id of people ?? []) {
      if (await findPerson(tx, { org_id, id })) continue;
      const message = `steps[${i}].people: no person has the id ${id}`;
      throw new Failure("invalid_input", { message, details: [message] });
    }
  }
}

async function record(
  tx: Tx,
  actor: Actor,
  { id, object_id, name }: { id: string; object_id: string; name: string | undefined },
  before: PolicyTerms | null,
  after: PolicyTerms | null,
): Promise<void> {
  await recordChange(tx, actor, {
    action: after === null ? "approval_policy.removed" : "approval_policy.updated",
    object_id,
    detail: {
      plan: id === DEFAULT_POLICY ? null : id,
      ...changedMembers({ ...before }, { ...after }),
    },
    ...name === undefined ? {} : { names: { object: name } },
  });
}
