import type { CountedReason } from "./denied-calls.ts";

/** The names of the reasons, in English: "3 over the rate". */
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
