import type { DeniedCall } from "../../parts/denied-calls/words.ts";
import { can, type Key } from "../../parts/keys/key.ts";

/** How a denied call is fixed in place, or where else one looks. */
export type Fix =
  | { readonly text: string; readonly act: Action }
  | { readonly text: string; readonly href: string };

/** An action in place. */
export type Action = "resume" | "renew" | "expiry" | "addresses" | "plans" | "limit";

/**
 * The one thing that fixes it, for a person who may `approve` keys and change `plans`; others see
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

/** How it is fixed, or that it can't be, in sentences. `key`: its key, where there is one. */
export function adviceOf(one: DeniedCall, key: Key | undefined): string {
  switch (one.reason) {
    case "unknown":
      return "Nothing here fixes it: the caller has to send a key of this server. It may be mistyped, or of another system.";
    case "revoked":
      return key && can.restore(key)
        ? "The key was revoked a short time ago: restore it, or issue a new one."
        : "A revoked key can’t be brought back. Issue a new one, and send it to the developer.";
    case "suspended":
      return "Resume the key: calls are allowed again within a second.";
    case "damaged":
      return "The row of this key was changed outside of Keydesk. It can’t be trusted again: revoke the key and issue a new one.";
    case "expired":
      return "Choose a later expiry, or wait until the developer requests access again.";
    case "address_unknown":
      return "The gateway sends no address of the visitor. Replace its file by the present one.";
    case "address":
      return "Add the network to the key’s addresses, if it is the developer’s.";
    case "unknown_plan":
      return "Give the key a plan that exists.";
    case "plan_inactive":
      return "Activate the plan, or give the key another one.";
    case "wrong_api":
      return "Give the key a plan that is valid for the API.";
    case "over_rate":
    case "over_quota":
      return "Calls are allowed again without a change. Raise the limit if the developer needs more.";
  }
}
