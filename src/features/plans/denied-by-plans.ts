import type { RequestContext, UnknownPlanChoice } from "../../calls/context.ts";
import type { DeniedByPlans } from "../../contract/denied-calls.ts";
import type { PlanRules } from "./plan.ts";
import { rulesOfPlans } from "./plans.store.ts";

/** The data of a plan that decide whether it grants anything. */
type Granting = Pick<PlanRules, "active" | "deleted"> & {
  scope: Pick<PlanRules["scope"], "access">;
};

/**
 * Whether a plan grants something. One that is deleted or not active grants nothing, one that the
 * organisation never had (null) what `unknownPlan` says.
 */
export function isInForce(plan: Granting | null, unknownPlan: UnknownPlanChoice): boolean {
  return plan === null ? unknownPlan === "allow" : plan.active && !plan.deleted;
}

/**
 * Why a key of these plans is denied at each call: none of the plans is known, none of those known
 * is active, or none of those in force opens an API. Null: it is valid for something.
 */
export function deniedByPlans(
  plans: readonly (Granting | null)[],
  unknownPlan: UnknownPlanChoice,
): DeniedByPlans | null {
  const live = plans.filter((plan) => isInForce(plan, unknownPlan));
  if (live.some((plan) => plan === null || plan.scope.access)) return null;
  if (live.length > 0) return "wrong_api";
  const isUnknown = (plan: Granting | null) => plan === null || plan.deleted;
  return plans.length > 0 && plans.every(isUnknown) ? "unknown_plan" : "plan_inactive";
}

/**
 * Tells of keys why they are denied at each call, by their plans as their rows have them: the store
 * is read once for all of `keys`.
 */
export async function plansJudge(
  { storage: { reader }, principal: { org_id }, settings }: JudgeContext,
  keys: readonly { readonly plans: string }[],
): Promise<(plans: string) => DeniedByPlans | null> {
  // as: keys store plans as arrays of ids.
  const named = (plans: string) => JSON.parse(plans) as string[];
  const sets = [...new Set(keys.map(({ plans }) => plans))];
  const known = await rulesOfPlans(reader, org_id, [...new Set(sets.flatMap(named))]);
  const judged = new Map(
    sets.map((plans) => {
      const rules = named(plans).map((id) => known.get(id) ?? null);
      return [plans, deniedByPlans(rules, settings.unknownPlan)];
    }),
  );
  return (plans) => judged.get(plans) ?? null;
}

type JudgeContext = Pick<RequestContext, "storage" | "principal" | "settings">;
