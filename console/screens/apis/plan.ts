import type { z } from "zod";
import type { v1Plan } from "../../../src/features/plans/catalogue/v1.contract.ts";
import { queries } from "../../api/queries.ts";
import { amountOf, spanOf } from "../../api/spans.ts";
import { grouped } from "../../api/numbers.ts";
import { listed, say } from "../../said.ts";

/** A plan with how its requests are decided and what there is of it. */
export type Plan = z.output<typeof v1Plan>;

/** After a change: what shows plans is read again, but for one that is `gone`. */
export function forgetPlans(gone?: string): void {
  void queries.invalidateQueries({
    queryKey: ["plans"],
    predicate: ({ queryKey }) => gone === undefined || queryKey[1] !== gone,
  });
}

/** How keys are presented. */
export const authTypes = [
  { value: "authToken", text: "Key" },
  { value: "basic", text: "User name and password" },
  { value: "oauth", text: "OAuth client" },
  { value: "keyless", text: "Without a key" },
];

/** In words; an unknown one counts as a key. */
export function authName(type: string): string {
  return (authTypes.find(({ value }) => value === type) ?? authTypes[0])?.text ?? type;
}

/** "60 calls a minute". */
export function rateOf({ rate, per }: Pick<Plan, "rate" | "per">): string {
  return rate > 0 && per > 0 ? say`${calls(rate)} ${spanOf(per)}` : "Any rate";
}

/** "20,000 calls in 30 days". */
export function quotaOf(
  { quota_max, quota_renewal_rate }: Pick<Plan, "quota_max" | "quota_renewal_rate">,
): string {
  if (quota_max <= 0) return "No quota";
  return say`${calls(quota_max)} ${quota_renewal_rate > 0 ? spanOf(quota_renewal_rate) : "in all"}`;
}

/** How long keys, or accesses, last. */
export function lifeOf({ key_expires_in, expiry_applies_to }: Plan): string {
  if (key_expires_in <= 0) return "Never";
  return expiry_applies_to === "access"
    ? `${amountOf(key_expires_in)} after the access is granted`
    : `${amountOf(key_expires_in)} after they are issued`;
}

/** The APIs that it opens, by name. */
export function apisOf({ access_rights }: Plan): string {
  return listed(
    Object.entries(access_rights).map(([id, { api_name }]) =>
      typeof api_name === "string" && api_name !== "" ? api_name : id
    ),
  );
}

/** The decision about a request for it. */
export function approvalOf({ auth_type, approval }: Pick<Plan, "auth_type" | "approval">): string {
  if (auth_type === "keyless") return "No request needed";
  return approval === "manual" ? "A person decides" : "Approved at once";
}

/** Many are "1000 or more". */
export function countOf(count: number): string {
  return count >= 1000 ? "1000+" : String(count);
}

function calls(count: number): string {
  return `${grouped(count)} ${count === 1 ? "call" : "calls"}`;
}

/** The possible actions on a key of it that is reported as leaked. */
export const leakActions: readonly { value: Plan["when_leaked"]; text: string }[] = [
  { value: "notify", text: "It is marked" },
  { value: "suspend", text: "It is suspended" },
  { value: "revoke", text: "It is revoked" },
];

/** In words. */
export function leakActionOf({ when_leaked }: Plan): string {
  return leakActions.find(({ value }) => value === when_leaked)?.text ?? when_leaked;
}
