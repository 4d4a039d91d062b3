import type { CountedReason } from "../../src/contract/denied-calls.ts";
import { listed, say } from "../said.ts";

/** The name of each reason: "3 over the rate". */
const reasonNames: Readonly<Record<CountedReason, string>> = {
  unknown: "unknown keys",
  revoked: "revoked",
  suspended: "suspended",
  damaged: "damaged",
  expired: "expired",
  address_unknown: "without the visitor's address",
  address: "from another address",
  unknown_plan: "of an unknown plan",
  plan_inactive: "of an inactive plan",
  wrong_api: "for another API",
  over_rate: "over the rate",
  over_quota: "over the quota",
  unsure: "undecided",
};

/** DeniedCalls in words, the most frequent first: "3 over the rate, 1 suspended". */
export function reasonsInWords(
  reasons: readonly { reason: CountedReason; calls: number }[],
): string {
  return listed(
    reasons.map(({ reason, calls }) => say`${calls.toLocaleString("en")} ${reasonNames[reason]}`),
  );
}
