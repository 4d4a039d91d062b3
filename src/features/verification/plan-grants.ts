import type { UnknownPlanChoice } from "../../calls/context.ts";
import { headerText } from "../../kernel/header-text.ts";
import type { PlanRules } from "../plans/plan.ts";

/** A plan in memory; `rules` null: the organisation never had such a plan. One that is deleted is known no more. */
export interface KnownPlan {
  readonly id: string;
  readonly rules: PlanRules | null;
  /** False once it must be looked at again. */
  current: boolean;
}

/** How often a key may call under one of its plans. */
export interface CallRule {
  plan_id: string;
  /** Calls in each `ratePeriodMs`; 0: as many as they like. */
  rate: number;
  ratePeriodMs: number;
  /** Calls in each `quotaPeriodMs`; 0: as many as they like. */
  quotaMax: number;
  quotaPeriodMs: number;
  /** The APIs that the plan opens; null: all of them. */
  apis: ReadonlySet<string> | null;
}

/** What a key's plans grant together, at one moment. Keys with the same plans share one. */
export interface PlanGrants {
  /** What it was made of; see PlanBook. */
  plans: readonly KnownPlan[];
  /** Rules of the plans that are in force, the most generous first. None: the key opens nothing. */
  rules: readonly CallRule[];
  /** Why the key opens nothing where no plan is in force: nobody knows any of them, or those that are known are not active. */
  whenNone: "unknown_plan" | "plan_inactive";
  /** The ids of those plans in the key's order, as JSON and as a header's value; and their tags as JSON. */
  plansJson: string;
  plansHeader: string;
  tagsJson: string;
}

/**
 * What these plans grant. A plan that is deleted or not active grants nothing, one that the organisation never had
 * what `unknownPlan` says.
 */
export function grantsOf(
  plans: readonly KnownPlan[],
  unknownPlan: UnknownPlanChoice,
): PlanGrants {
  const live = plans.filter(({ rules }) =>
    rules === null ? unknownPlan === "allow" : rules.active && !rules.deleted
  );
  const isUnknown = ({ rules }: KnownPlan) => rules === null || rules.deleted;
  const ids = live.map((plan) => plan.id);
  const tags = new Set(live.flatMap(({ rules }) => rules?.tags ?? []));
  return {
    plans,
    rules: live.map(ruleOf).sort(byGenerosity),
    whenNone: plans.length > 0 && plans.every(isUnknown) ? "unknown_plan" : "plan_inactive",
    plansJson: JSON.stringify(ids),
    plansHeader: ids.map(headerText).join(","),
    tagsJson: JSON.stringify([...tags]),
  };
}

/**
 * The rule that a call of this API goes by: of the plans that open it, the one with the highest rate, then the
 * one with the highest quota. Undefined: none of the plans opens it. Without an API any plan will do.
 */
export function ruleFor(grants: PlanGrants, api_id: string | undefined): CallRule | undefined {
  const { rules } = grants;
  if (api_id === undefined) return rules[0];
  for (const rule of rules) {
    if (rule.apis === null || rule.apis.has(api_id)) return rule;
  }
  return undefined;
}

function ruleOf({ id, rules: plan }: KnownPlan): CallRule {
  if (plan === null) return { plan_id: id, ...UNLIMITED, apis: null };
  const limitsRate = plan.rate > 0 && plan.per > 0;
  const limitsQuota = plan.quota_max > 0;
  const renewalMs = plan.quota_renewal_rate > 0
    ? Math.min(Math.ceil(plan.quota_renewal_rate * 1000), NEVER_RENEWED_MS)
    : NEVER_RENEWED_MS;
  return {
    plan_id: id,
    ...UNLIMITED,
    ...limitsRate ? wholeCalls(plan.rate, plan.per * 1000) : {},
    ...limitsQuota ? { quotaMax: Math.floor(plan.quota_max), quotaPeriodMs: renewalMs } : {},
    apis: plan.access_rights.length === 0 ? null : new Set(plan.access_rights),
  };
}

/** Less than one call in a period is one call in a longer period: nobody can make half a call. */
function wholeCalls(rate: number, periodMs: number) {
  return rate >= 1
    ? { rate, ratePeriodMs: periodMs }
    : { rate: 1, ratePeriodMs: Math.min(periodMs / rate, NEVER_RENEWED_MS) };
}

/** A period that no key outlives: some thousands of years. */
export const NEVER_RENEWED_MS = 1e14;

const UNLIMITED = { rate: 0, ratePeriodMs: 0, quotaMax: 0, quotaPeriodMs: 0 };

function byGenerosity(a: CallRule, b: CallRule): number {
  return compare(perSecond(b.rate, b.ratePeriodMs), perSecond(a.rate, a.ratePeriodMs)) ||
    compare(perSecond(b.quotaMax, b.quotaPeriodMs), perSecond(a.quotaMax, a.quotaPeriodMs));
}

function perSecond(calls: number, periodMs: number): number {
  return calls === 0 ? Infinity : calls / periodMs;
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
