/** What people see of a key at a gateway. */
export const provisionedStates = [
  "waiting",
  "late",
  "delivered",
  "stuck",
  "diverged",
  "gone",
] as const;

/** One of them. */
export type ProvisionedState = typeof provisionedStates[number];

/** Everything that a check can find. */
export const findingCodes = [
  "cache_on",
  "quota_in_policies",
  "not_checked",
  "clock_differs",
  "no_policy",
  "policy_differs",
  "no_list",
] as const;

/** One of them. */
export type FindingCode = typeof findingCodes[number];
