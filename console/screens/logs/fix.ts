import type { DeniedCall } from "../../parts/denied-calls/words.ts";

/** How a denied call is fixed in place, or where else one looks. */
export type Fix =
  | { readonly text: string; readonly act: Action }
  | { readonly text: string; readonly href: string };

/** An action in place. */
export type Action = "resume" | "renew" | "expiry" | "addresses" | "plans" | "limit";

/**
 * The one thing that mends it, for somebody who may `approve` keys and change `plans`; others see
 * the key or the plan.
 */
export function fixOf(
  one: DeniedCall,
  { approve, plans }: { approve: boolean; plans: boolean },
): Fix {
  const { reason, key_id, plan_id, hash_start } = one;
  if (key_id === null) return { text: "Find the key", href: `/keys?q=${hash_start}` };
  const key = { text: "See the key", href: `/keys/${encodeURIComponent(key_id)}` };
  const inPlace = (text: string, act: Action) => approve ? { text, act } : key;
  switch (reason) {
    case "suspended":
      return inPlace("Resume", "resume");
    case "revoked":
      return inPlace("Restore or issue anew", "renew");
    case "expired":
      return inPlace("Change its expiry", "expiry");
    case "address":
      return inPlace("Change addresses", "addresses");
    case "unknown_plan":
    case "plan_inactive":
    case "wrong_api":
      return inPlace("Add the plan", "plans");
    case "over_rate":
    case "over_quota":
      if (plan_id === null) return key;
      return plans
        ? { text: "Raise the limit", act: "limit" }
        : { text: "See the plan", href: `/apis/plans/${encodeURIComponent(plan_id)}` };
    default:
      return key;
  }
}
