import type { CountedReason } from "./refusals.ts";

/** What each reason is called, in English: "3 over the rate". */
export const reasonNames: Readonly<Record<CountedReason, string>> = {
  unknown: "unknown keys",
  revoked: "revoked",
  suspended: "suspended",
  damaged: "damaged",
  expired: "ended",
  address_unknown: "without the visitor's address",
  address: "from another address",
  unknown_plan: "of an unknown plan",
  plan_inactive: "of an inactive plan",
  wrong_api: "for another API",
  over_rate: "over the rate",
  over_quota: "over the quota",
  unsure: "undecided",
};

/** Refusals in words, the most frequent first: "3 over the rate, 1 suspended". */
export function reasonsInWords(
  reasons: readonly { reason: CountedReason; calls: number }[],
): string {
  return reasons.map(({ reason, calls }) => `${calls.toLocaleString("en")} ${reasonNames[reason]}`)
    .join(", ");
}
