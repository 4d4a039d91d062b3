/** Whether an offer is less than was asked. */
import { Failure } from "../../kernel/failure.ts";
import { type CallLimit, NEVER_RENEWED_SECONDS } from "../keys/key-conditions.ts";
import type { PlanRules } from "../plans/plan.ts";
import type { GrantedTerms } from "./granted-terms.ts";

/**
 * The terms, where they are an offer: other plans than those that are asked for, or a rate or a
 * quota below what the plans give. Throws `invalid_input` for a limit that is not below, naming the
 * most that it may be, and where nothing is less: that is an approval.
 */
export function refuseNotLess(
  terms: GrantedTerms | null,
  asked: readonly string[],
  plans: readonly (PlanRules | undefined)[],
): GrantedTerms {
  const others = terms?.plans && !isSame(terms.plans, asked) ? terms.plans : null;
  if (!terms || (others === null && terms.rate === null && terms.quota === null)) {
    throw refused("conditions: nothing is less than what is asked for; approve it instead");
  }
  const rates = plans.map((plan) => limit(plan?.rate, plan?.per));
  const quotas = plans.map((plan) => limit(plan?.quota_max, plan?.quota_renewal_rate));
  refuseMore("rate", terms.rate, rates);
  refuseMore("quota", terms.quota && asQuota(terms.quota), quotas);
  return { ...terms, plans: others };
}

/**
 * The limit of a plan; undefined: none. A quota that is never renewed has no end of its period.
 */
function limit(calls = 0, seconds = 0): CallLimit | undefined {
  return calls > 0 ? { calls, seconds: seconds > 0 ? seconds : Infinity } : undefined;
}

/** The longest period is none that ends, as in a plan. */
function asQuota({ calls, seconds }: CallLimit): CallLimit {
  return { calls, seconds: seconds >= NEVER_RENEWED_SECONDS ? Infinity : seconds };
}

/** Below one of them is below what they give together: the most generous counts. */
function refuseMore(
  name: string,
  own: CallLimit | null,
  limits: readonly (CallLimit | undefined)[],
): void {
  if (own === null) return;
  const isBelow = (most: CallLimit | undefined) =>
    most === undefined ||
    (own.calls <= most.calls && own.calls / own.seconds <= most.calls / most.seconds &&
      (own.calls < most.calls || own.seconds > most.seconds)) ||
    (own.seconds < most.seconds && own.calls < most.calls &&
      own.calls / own.seconds < most.calls / most.seconds);
  if (limits.some(isBelow)) return;
  const most = Math.max(...limits.map((one) => one?.calls ?? 0));
  throw refused(`conditions.${name}: expected less than the plans give, which is ${most} calls`);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return [...a].sort().join("\n") === [...b].sort().join("\n");
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
