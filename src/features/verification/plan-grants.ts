import type { UnknownPlanChoice } from "../../calls/context.ts";
import type { DeniedByPlans } from "../../contract/denied-calls.ts";
import { headerText } from "../../kernel/header-text.ts";
import { type CallLimit, NEVER_RENEWED_SECONDS, OWN_LIMITS } from "../keys/key-conditions.ts";
import { deniedByPlans, isInForce } from "../plans/denied-by-plans.ts";
import type { PlanRules } from "../plans/plan.ts";

/**
 * A plan in memory, under the id that keys name it by; `rules` null: the organisation never had
 * such a plan. One that is deleted is known no more.
 */
export interface KnownPlan {
  readonly id: string;
  readonly rules: PlanRules | null;
  /** False once it must be looked at again. */
  current: boolean;
}

/** How often a key may call the APIs that one of its plans opens. */
export interface CallRule {
  /** The `_id` of that plan. */
  plan_id: string;
  /**
   * The `_id` of the plan whose rate and whose quota count: that plan, or another of the key.
   * OWN_LIMITS: the key's own.
   */
  rate_plan: string;
  quota_plan: string;
  /** Calls in each `ratePeriodMs`; 0: as many as they like. */
  rate: number;
  ratePeriodMs: number;
  /** Calls in each `quotaPeriodMs`; 0: as many as they like. */
  quotaMax: number;
  quotaPeriodMs: number;
  /** The APIs that the plan opens; null: all of them. */
  apis: ReadonlySet<string> | null;
}

/** The grants of a key's plans together, at one moment. Keys with the same plans share one. */
export interface PlanGrants {
  /** The plans that it was made of; see PlanBook. */
  plans: readonly KnownPlan[];
  /**
   * Rules of the plans that are in force and open APIs, the most generous first. None: the key
   * opens nothing.
   */
  rules: readonly CallRule[];
  /**
   * Why the key opens nothing where there is no rule: no one knows any of the plans, those that are
   * known are not active, or none of those in force opens an API.
   */
  whenNone: DeniedByPlans;
  /**
   * The ids of the plans in force, each plan once, as the key names them and in its order, as JSON
   * and as a header's value; and their tags as JSON.
   */
  plansJson: string;
  plansHeader: string;
  tagsJson: string;
  /** Whether every plan that is not gone is switched to be decided here by its migration. */
  decidedHere: boolean;
}

/**
 * The grants of these plans. A plan that is deleted or not active grants nothing, one that the
 * organisation never had as `unknownPlan` says; one that is named by both of its ids counts once.
 */
export function grantsOf(
  plans: readonly KnownPlan[],
  unknownPlan: UnknownPlanChoice,
): PlanGrants {
  const live = eachOnce(plans).filter(({ rules }) => isInForce(rules, unknownPlan));
  const ids = live.map((plan) => plan.id);
  const there = plans.filter(({ rules }) => rules?.deleted !== true);
  const tags = new Set(live.flatMap(({ rules }) => rules?.tags ?? []));
  return {
    plans,
    rules: rulesFor(live.map(termsOf)).sort(byGenerosity),
    whenNone: deniedByPlans(plans.map(({ rules }) => rules), unknownPlan) ?? "wrong_api",
    plansJson: JSON.stringify(ids),
    plansHeader: ids.map(headerText).join(","),
    tagsJson: JSON.stringify([...tags]),
    decidedHere: there.length > 0 && there.every(({ rules }) => rules?.decidedHere === true),
  };
}

function eachOnce(plans: readonly KnownPlan[]): KnownPlan[] {
  const seen = new Set<string>();
  return plans.filter((plan) => {
    const id = idOf(plan);
    return !seen.has(id) && seen.add(id);
  });
}

function idOf({ id, rules }: KnownPlan): string {
  return rules?.id ?? id;
}

/**
 * A rule for each plan that opens APIs. Its rate is the most generous of its own and those of the
 * plans that are for limits alone, and so is its quota. A plan that says nothing of one of them
 * leaves it to all of the key's plans, so that a plan for access alone lifts no limit of another
 * one.
 */
function rulesFor(terms: readonly PlanTerms[]): CallRule[] {
  const pure = terms.filter(({ opens }) => !opens);
  const best = (own: Limit | null, name: "rate" | "quota") =>
    mostGenerous(own ? [own, ...limitsOf(pure, name)] : limitsOf(terms, name));
  return terms.filter(({ opens }) => opens).map(({ plan_id, apis, rate, quota }) => {
    const bestRate = best(rate, "rate");
    const bestQuota = best(quota, "quota");
    return {
      plan_id,
      rate_plan: bestRate?.plan_id ?? plan_id,
      quota_plan: bestQuota?.plan_id ?? plan_id,
      rate: bestRate?.most ?? 0,
      ratePeriodMs: bestRate?.periodMs ?? 0,
      quotaMax: bestQuota?.most ?? 0,
      quotaPeriodMs: bestQuota?.periodMs ?? 0,
      apis,
    };
  });
}

function limitsOf(terms: readonly PlanTerms[], name: "rate" | "quota"): Limit[] {
  return terms.flatMap((one) => one[name] ?? []);
}

function mostGenerous(limits: readonly Limit[]): Limit | undefined {
  const [best] = limits.toSorted((a, b) =>
    compare(perSecond(b.most, b.periodMs), perSecond(a.most, a.periodMs))
  );
  return best;
}

/**
 * The grants of a key that was granted less: the lower of its own limit and a rule's counts. All
 * rules whose limit is the key's own share one counter, which is no plan's.
 */
export function limitedBy(grants: PlanGrants, { rate, quota }: OwnLimits): PlanGrants {
  if (rate === null && quota === null) return grants;
  const quotaMs = quota === null || quota.seconds >= NEVER_RENEWED_SECONDS
    ? NEVER_RENEWED_MS
    : quota.seconds * 1000;
  const rules = grants.rules.map((rule) => ({
    ...rule,
    ...rate !== null &&
      perSecond(rate.calls, rate.seconds * 1000) < perSecond(rule.rate, rule.ratePeriodMs) &&
      { rate: rate.calls, ratePeriodMs: rate.seconds * 1000, rate_plan: OWN_LIMITS },
    ...quota !== null &&
      perSecond(quota.calls, quotaMs) < perSecond(rule.quotaMax, rule.quotaPeriodMs) && {
      quotaMax: quota.calls,
      quotaPeriodMs: quotaMs,
      quota_plan: OWN_LIMITS,
    },
  }));
  return { ...grants, rules };
}

/** The limits of a key itself; null: as its plans say. */
interface OwnLimits {
  readonly rate: CallLimit | null;
  readonly quota: CallLimit | null;
}

/**
 * The rule that a call of this API goes by: of the plans that open it, the one with the highest
 * rate, then the one with the highest quota. Undefined: none of the plans opens it. Without an API
 * any plan will do.
 */
export function ruleFor(grants: PlanGrants, api_id: string | undefined): CallRule | undefined {
  const { rules } = grants;
  if (api_id === undefined) return rules[0];
  for (const rule of rules) {
    if (rule.apis === null || rule.apis.has(api_id)) return rule;
  }
  return undefined;
}

/** Calls in each `periodMs` under one plan; 0: as many as they like. */
interface Limit {
  plan_id: string;
  most: number;
  periodMs: number;
}

/** The terms of one plan. */
interface PlanTerms {
  plan_id: string;
  /** False: it is for limits alone. */
  opens: boolean;
  apis: ReadonlySet<string> | null;
  /** Null: it says nothing of it. */
  rate: Limit | null;
  quota: Limit | null;
}

function termsOf(known: KnownPlan): PlanTerms {
  const { rules: plan } = known;
  const plan_id = idOf(known);
  const unlimited = { plan_id, most: 0, periodMs: 0 };
  if (plan === null) {
    return { plan_id, opens: true, apis: null, rate: unlimited, quota: unlimited };
  }
  const { scope, access_rights } = plan;
  const limitsRate = plan.rate > 0 && plan.per > 0;
  const limitsQuota = plan.quota_max > 0;
  const renewalMs = plan.quota_renewal_rate > 0
    ? Math.min(Math.ceil(plan.quota_renewal_rate * 1000), NEVER_RENEWED_MS)
    : NEVER_RENEWED_MS;
  const rate = limitsRate ? { plan_id, ...wholeCalls(plan.rate, plan.per * 1000) } : unlimited;
  const quota = limitsQuota
    ? { plan_id, most: Math.floor(plan.quota_max), periodMs: renewalMs }
    : unlimited;
  return {
    plan_id,
    opens: scope.access,
    apis: access_rights.length === 0 ? null : new Set(access_rights),
    rate: scope.rate ? rate : null,
    quota: scope.quota ? quota : null,
  };
}

/** Less than one call in a period is one call in a longer period: no one can make half a call. */
function wholeCalls(rate: number, periodMs: number) {
  return rate >= 1
    ? { most: rate, periodMs }
    : { most: 1, periodMs: Math.min(periodMs / rate, NEVER_RENEWED_MS) };
}

/** A period that no key outlives: some thousands of years. */
export const NEVER_RENEWED_MS = 1e14;

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
