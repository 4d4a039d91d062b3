/** Why a credential does not open what was asked for; in the order in which the reasons are looked for. */
export const refusals = [
  "unknown",
  "revoked",
  "suspended",
  "expired",
  "plan_inactive",
  "wrong_api",
  "over_rate",
  "over_quota",
] as const;

/** One of them. */
export type Refusal = typeof refusals[number];
