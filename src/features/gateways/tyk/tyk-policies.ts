import type { Plan } from "../../plans/plan.ts";
import type { KnownPlan } from "../wanted-key.ts";
import type { Finding } from "../gateway.ts";
import { membersOf } from "./tyk-calls.ts";

/** A policy as the gateway has it. */
export interface Policy {
  /** The id by which keys name it. */
  readonly id: string;
  /** Every id that it has. */
  readonly names: readonly string[];
  /** The APIs that it opens, with what it says of each. */
  readonly rights: Readonly<Record<string, unknown>>;
  readonly active: boolean;
  readonly rate: number;
  readonly per: number;
  readonly quota: number;
  readonly renewal: number;
}

/** Reads the list of `GET /tyk/policies`; without the dashboard `_id` is empty and `id` counts. */
export function readPolicies(json: unknown): Policy[] {
  return (Array.isArray(json) ? json : []).flatMap((one) => {
    const policy = membersOf(one);
    const names = [policy.id, policy._id]
      .filter((id): id is string => typeof id === "string" && id !== "");
    const [id] = names;
    return id === undefined ? [] : [{
      id,
      names,
      rights: membersOf(policy.access_rights),
      active: policy.active !== false && policy.is_inactive !== true,
      rate: limit(policy.rate),
      per: limit(policy.per),
      quota: limit(policy.quota_max),
      renewal: limit(policy.quota_renewal_rate),
    }];
  });
}

/** A plan as the gateway takes it. Members that are ours alone stay here. */
export function policyOf(plan: Plan, org_id: string, id: string): Record<string, unknown> {
  const { _id: _, id: __, auth_type: ___, when_leaked: ____, ...members } = plan;
  const { rate, per, quota_max, quota_renewal_rate } = plan;
  const isLimited = limit(rate) > 0 && limit(per) > 0;
  return {
    ...members,
    id,
    org_id,
    rate: isLimited ? rate : -1,
    per: isLimited ? per : -1,
    quota_max: limit(quota_max) || -1,
    quota_renewal_rate: limit(quota_renewal_rate) || -1,
  };
}

/** The difference of a plan from the gateway's policy, for people to read; "": none. */
export function policyDifference(policy: Policy, plan: Plan): string {
  const apis = Object.keys(plan.access_rights).toSorted().join(" ");
  return [
    ...limitsDiffer(policy, plan),
    apis === Object.keys(policy.rights).toSorted().join(" ") ? "" : "APIs",
    policy.active === plan.active ? "" : "active",
  ].filter((one) => one !== "").join(", ");
}

/** Names that say one plan each: the gateway may know it by either. */
export function policyFor(
  policies: readonly Policy[],
  { _id, id }: Pick<Plan, "_id" | "id">,
): Policy | undefined {
  return policies.find(({ names }) => names.includes(_id)) ??
    policies.find(({ names }) => names.includes(id));
}

/** The differences between plans in Keydesk and policies at the gateway. */
export function comparePolicies(
  policies: readonly Policy[],
  plans: readonly KnownPlan[],
): Finding[] {
  const findings: Finding[] = plans.filter(({ deleted }) => !deleted).flatMap((plan): Finding[] => {
    const policy = policyFor(policies, { _id: plan.id, id: plan.given_id });
    if (!policy) return [{ code: "no_policy", detail: plan.name }];
    const differs = limitsDiffer(policy, plan);
    if (differs.length === 0) return [];
    return [{ code: "policy_differs", detail: `${plan.name}: ${differs.join(", ")}` }];
  });
  const withQuota = policies.filter(({ quota }) => quota > 0).map(({ id }) => id);
  if (withQuota.length > 0) {
    findings.push({ code: "quota_in_policies", detail: withQuota.slice(0, 10).join(", ") });
  }
  return findings;
}

function limitsDiffer(policy: Policy, plan: Limits): string[] {
  return [
    said("rate", policy.rate, limit(plan.rate)),
    said("per", policy.per, limit(plan.per)),
    said("quota", policy.quota, limit(plan.quota_max)),
    said("renewal", policy.renewal, limit(plan.quota_renewal_rate)),
  ].filter((one) => one !== "");
}

type Limits = Pick<Plan, "rate" | "per" | "quota_max" | "quota_renewal_rate">;

function said(what: string, there: number, here: number): string {
  return there === here ? "" : `${what} ${there} there, ${here} here`;
}

/** 0 and below: none. */
function limit(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}
