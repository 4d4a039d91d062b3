import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import type { PlanTerms } from "../plans/catalogue/plan-terms.transactions.ts";
import { isInactiveIn } from "../developers/developer-text.ts";
import { endToCome } from "../keys/key.ts";
import { type AuthType, commonAuthType } from "../plans/plan.ts";
import type { Facts } from "./approval-facts.transactions.ts";
import { presentStep } from "./asked-policy.ts";
import { refuseOfExistingKey } from "./granted-terms.ts";
import { requireState } from "./key-request.ts";
import { waitsAt } from "./offer.ts";
import { refuseFiler } from "./own-request.ts";
import type { Giver } from "./steps.transactions.ts";
import { isWithin } from "./within-scope.ts";

/** The result of an approval that no rule refuses. */
export interface Decision {
  /** As what the actor gives the present step of the policy; null: a key is issued or changed. */
  giver: Giver | null;
  plans: PlanTerms[];
  type: AuthType;
}

/**
 * Judges an approval by what was read for it, and by nothing else. Throws the first refusal of
 * RULES that holds.
 */
export function judge(facts: Facts): Decision {
  for (const rule of Object.values(RULES)) rule(facts);
  const giver = had(facts.giver);
  const plans = had(facts.plans);
  return { giver, plans, type: typeOf(plans, facts) };
}

/**
 * The rules of an approval, in this order: each throws to refuse it. The order is part of the
 * interface: a caller who may not decide does not learn whether it was decided.
 */
const RULES: Readonly<Record<string, (facts: Facts) => void>> = {
  outOfScope({ coverage, row }) {
    if (coverage && !isWithin(coverage, row)) throw new Failure("not_found");
  },
  over({ row }) {
    if (row.state !== "issued") requireState("approve", row.state);
  },
  mayNotApprove({ input, needsNone }) {
    if (input.by.kind === "automatic" && !needsNone) throw new Failure("access_denied");
  },
  approved({ row }) {
    requireState("approve", row.state);
  },
  ownRequest({ input, isOwn, needsNone }) {
    if (input.by.kind === "approver" && isOwn && !needsNone) throw new Failure("own_request");
  },
  filedByThem({ input, asked, needsNone, row }) {
    if (input.by.kind !== "approver" || !asked?.not_by_filer || needsNone) return;
    refuseFiler(input.actor.user_id, row.policy);
  },
  offered({ input, row }) {
    if (input.by.kind !== "offer" && waitsAt(row.offer, input.actor.now)) {
      throw new Failure("offered");
    }
  },
  conditionsOfExistingKey({ terms, input }) {
    refuseOfExistingKey(terms.key, input.granted ?? null);
  },
  olderNode({ conditions }) {
    if (conditions) throw conditions;
  },
  plansOutOfScope({ coverage, terms }) {
    if (coverage && !coverage.holds(terms.plans)) throw new Failure("access_denied");
  },
  changedSince({ input, revision }) {
    if (input.ifMatch !== null) requireRevision(input.ifMatch, revision ?? "");
  },
  // An offer is closed as it is made.
  closed({ input, decider, needsNone }) {
    if (decider?.signatures === 1 && input.by.kind !== "offer" && !needsNone) {
      throw new Failure("approvals_closed");
    }
  },
  // An offer is made by the last step.
  stepsBeforeOffer({ input, asked }) {
    if (asked?.outcome !== "steps" || input.by.kind === "approver") return;
    if (presentStep(asked) !== undefined) throw new Failure("no_offer");
  },
  notInStep: ({ giver }) => void had(giver),
  planGone: ({ plans }) => void had(plans),
  mixedTypes: (facts) => void typeOf(had(facts.plans), facts),
  endPast: ({ input }) => void endToCome(input.expires_at, input.actor.now),
  // Deactivating a developer also stopped approvals without a decision, and the waiting ones.
  inactiveDeveloper({ input, developer }) {
    if (input.by.kind !== "approver" && developer && isInactiveIn(developer.document)) {
      throw new Failure("access_denied");
    }
  },
};

/** The value that was read. Throws its failure. */
function had<T>(fact: T | Failure): T {
  if (fact instanceof Failure) throw fact;
  return fact;
}

function typeOf(plans: readonly PlanTerms[], { terms }: Facts): AuthType {
  return commonAuthType(plans.map(({ authType }) => authType), terms.oauth);
}
