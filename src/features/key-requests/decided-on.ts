/**
 * What was known when somebody decided, kept so that rules can later be tried on one's own past.
 */
import { heldIn, isInactiveIn } from "../developers/developer-text.ts";
import type { PlanRules } from "../plans/plan.ts";

/** More of each are not kept. */
const MOST_PLANS = 20;

/**
 * A plan that was decided on, with its limits at that time; those of one that nobody knew: null.
 */
interface DecidedPlan {
  id: string;
  limits: Pick<PlanRules, "rate" | "per" | "quota_max" | "quota_renewal_rate"> | null;
  key_expires_in: number | null;
  /** Whether the developer held a key that was issued for it last. */
  held: boolean;
}

/** What is kept with a decision. */
export interface DecidedOn {
  plans: DecidedPlan[];
  developer: { inactive: boolean; keys: number };
  /** The offer that its developer accepted; absent: they did not need to. */
  offer_id?: string;
}

/**
 * The text that is kept with a decision, at most some kilobytes: the plans that were granted as
 * they were, and what the developer held, out of their stored text.
 */
export function decidedOn(
  plans: readonly { id: string; rules: PlanRules | undefined }[],
  document: string,
  offer_id: string | undefined,
): string {
  const held = heldIn(document, plans.map(({ id }) => id));
  const kept: DecidedOn = {
    plans: plans.slice(0, MOST_PLANS).map(({ id, rules }) => ({
      id,
      limits: rules ? limitsOf(rules) : null,
      key_expires_in: rules?.key_expires_in ?? null,
      held: held.plans.includes(id),
    })),
    developer: { inactive: isInactiveIn(document), keys: held.keys },
    ...offer_id === undefined ? {} : { offer_id },
  };
  return JSON.stringify(kept);
}

/** The limits of a plan that a decision tells of. */
export function limitsOf({ rate, per, quota_max, quota_renewal_rate }: PlanRules) {
  return { rate, per, quota_max, quota_renewal_rate };
}
