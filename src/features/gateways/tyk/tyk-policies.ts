import type { KnownPlan } from "../wanted-key.ts";
import type { Finding } from "../gateway.ts";
import { membersOf } from "./tyk-calls.ts";

/** A policy as the gateway has it. */
export interface Policy {
  /** What keys name it by. */
  readonly id: string;
  /** Every id that it has. */
  readonly names: readonly string[];
  /** The APIs that it opens, with what it says of each. */
  readonly rights: Readonly<Record<string, unknown>>;
  readonly rate: number;
  readonly per: number;
  readonly quota: number;
  readonly renewal: number;
}

/** What `GET /tyk/policies` lists; without the dashboard `_id` is empty and `id` is what counts. */
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
      rate: limit(policy.rate),
      per: limit(policy.per),
      quota: limit(policy.quota_max),
      renewal: limit(policy.quota_renewal_rate),
    }];
  });
}

/** What differs between plans here and policies there; they are compared and never written. */
export function comparePolicies(
  policies: readonly Policy[],
  plans: readonly KnownPlan[],
): Finding[] {
  const findings: Finding[] = plans.filter(({ deleted }) => !deleted).flatMap((plan): Finding[] => {
    const policy = policies.find(({ names }) => names.includes(plan.id)) ??
      policies.find(({ names }) => names.includes(plan.given_id));
    if (!policy) return [{ code: "no_policy", detail: plan.name }];
    const differs = [
      said("rate", policy.rate, limit(plan.rate)),
      said("per", policy.per, limit(plan.per)),
      said("quota", policy.quota, limit(plan.quota_max)),
      said("renewal", policy.renewal, limit(plan.quota_renewal_rate)),
    ].filter((one) => one !== "");
    if (differs.length === 0) return [];
    return [{ code: "policy_differs", detail: `${plan.name}: ${differs.join(", ")}` }];
  });
  const withQuota = policies.filter(({ quota }) => quota > 0).map(({ id }) => id);
  if (withQuota.length > 0) {
    findings.push({ code: "quota_in_policies", detail: withQuota.slice(0, 10).join(", ") });
  }
  return findings;
}

function said(what: string, there: number, here: number): string {
  return there === here ? "" : `${what} ${there} there, ${here} here`;
}

/** 0 and below: none. */
function limit(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}
