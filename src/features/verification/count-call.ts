import { type Refusal, refusalStatus } from "../../contract/refusals.ts";
import type { UsageCounter } from "../usage/usage-counter.ts";
import type { KnownKey } from "./known-key.ts";
import { type CallRule, ruleFor } from "./plan-grants.ts";

/** What was refused for these reasons was refused before a plan was looked for. */
const WITHOUT_PLAN: readonly Refusal[] = [
  "revoked",
  "suspended",
  "expired",
  "address_unknown",
  "address",
];

/**
 * Counts a call of a key that is known, by what was decided about it: under the plan that it went
 * by, and for the API, if one of the key's plans opens it. Gives the rule of that plan.
 */
export function countCall(
  usage: UsageCounter,
  key: KnownKey,
  api_id: string | undefined,
  verdict: { valid: true } | { valid: false; reason: Refusal },
  now: number,
): CallRule | undefined {
  const reason = verdict.valid ? undefined : verdict.reason;
  const rule = reason === undefined || !WITHOUT_PLAN.includes(reason)
    ? ruleFor(key.grants, api_id)
    : undefined;
  usage.count(key, {
    status: reason === undefined ? 200 : refusalStatus[reason],
    reason,
    plan_id: rule?.plan_id ?? "",
    api_id: rule && api_id,
    isNamedByPlan: rule !== undefined && rule.apis !== null,
  }, now);
  return rule;
}
