import type { UsageCounter } from "../usage/usage-counter.ts";
import type { KnownKey } from "./known-key.ts";
import { ruleFor } from "./plan-grants.ts";
import { statusOf } from "./refusal-status.ts";
import type { Refusal } from "./verification.contract.ts";

/** What was refused for these reasons was refused before a plan was looked for. */
const WITHOUT_PLAN: readonly Refusal[] = ["revoked", "suspended", "expired"];

/**
 * Counts a call of a key that is known, by what was decided about it: under the plan that it went
 * by, and for the API, if one of the key's plans opens it.
 */
export function countCall(
  usage: UsageCounter,
  key: KnownKey,
  api_id: string | undefined,
  verdict: { valid: true } | { valid: false; reason: Refusal },
  now: number,
): void {
  const status = verdict.valid ? 200 : statusOf[verdict.reason];
  const rule = verdict.valid || !WITHOUT_PLAN.includes(verdict.reason)
    ? ruleFor(key.grants, api_id)
    : undefined;
  usage.count(key, {
    status,
    plan_id: rule?.plan_id ?? "",
    api_id: rule && api_id,
    isNamedByPlan: rule !== undefined && rule.apis !== null,
  }, now);
}
