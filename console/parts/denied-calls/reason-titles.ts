import type { CountedReason } from "../../../src/contract/denied-calls.ts";

/** The title of each reason at a bar, in the order of checks. */
export const reasonTitles: Record<CountedReason, string> = {
  unknown: "Unknown key",
  revoked: "Revoked",
  suspended: "Suspended",
  damaged: "Damaged",
  expired: "Expired",
  address_unknown: "No address",
  address: "Another address",
  unknown_plan: "Unknown plan",
  plan_inactive: "Inactive plan",
  wrong_api: "Another API",
  over_rate: "Over the rate",
  over_quota: "Over the quota",
  unsure: "Undecided",
};
