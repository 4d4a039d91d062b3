/** The data known at a decision, kept so that rules can later be tried on one's own past. */
import { emailIn, isInactiveIn, subscribedIn } from "../developers/developer-text.ts";
import { type EmailState, toProof } from "../developers/email-proof.ts";
import type { PlanRules } from "../plans/plan.ts";
import type { Decider } from "./own-request.ts";

/** More of each are not kept. */
export const MOST_PLANS = 20;

/**
 * A plan that was decided on, with its limits at that time; those of one that no one knew: null.
 */
interface DecidedPlan {
  id: string;
  limits: Pick<PlanRules, "rate" | "per" | "quota_max" | "quota_renewal_rate"> | null;
  key_expires_in: number | null;
  /** Whether the developer held a key that was issued for it last. */
  held: boolean;
}

/** The data that is kept with a decision. */
export interface DecidedOn {
  plans: DecidedPlan[];
  /** Of the address: whether it was proved, and when it changed; absent in earlier decisions. */
  developer: {
    inactive: boolean;
    keys: number;
    email_state?: EmailState;
    email_changed_at?: string | null;
  };
  /** The offer that its developer accepted; absent: they did not need to. */
  offer_id?: string;
}

/**
 * The text that is kept with a decision, at most some kilobytes: the plans as they were, what the
 * developer held, out of their stored text, and what hints go by that does not stay as it is.
 */
export function decidedOn(
  plans: readonly { id: string; rules: PlanRules | undefined }[],
  { document, decider, offer_id }: {
    document: string;
    decider: Decider | undefined;
    offer_id?: string | undefined;
  },
): string {
  const held = subscribedIn(document, plans.map(({ id }) => id));
  const kept: DecidedOn = {
    plans: plans.slice(0, MOST_PLANS).map(({ id, rules }) => ({
      id,
      limits: rules ? limitsOf(rules) : null,
      key_expires_in: rules?.key_expires_in ?? null,
      held: held.plans.includes(id),
    })),
    developer: {
      inactive: isInactiveIn(document),
      keys: held.keys,
      ...decider ? toProof(decider, () => emailIn(document)) : {},
    },
    ...offer_id === undefined ? {} : { offer_id },
  };
  return JSON.stringify(kept);
}

/** The kept data, without the planned number of calls, which earlier code kept besides. */
export function decidedOnIn(text: string): DecidedOn {
  // as: decidedOn wrote exactly this.
  const { volume: _, ...kept } = JSON.parse(text) as DecidedOn & { volume?: unknown };
  return kept;
}

/** The limits of a plan that a decision tells of. */
function limitsOf({ rate, per, quota_max, quota_renewal_rate }: PlanRules) {
  return { rate, per, quota_max, quota_renewal_rate };
}
