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

/** What a gateway can be: the original's, or a door that opens by hashes of keys. */
export const gatewayKinds = ["tyk", "hashes"] as const;

/** What a file of hashes looks like: lines for HAProxy, or entries of an agentgateway. */
export const mapForms = ["haproxy", "agentgateway"] as const;

/** One of them. */
export type MapForm = typeof mapForms[number];

/** Everything that a check can find. */
export const findingCodes = [
  "cache_on",
  "quota_in_policies",
  "not_checked",
  "clock_differs",
  "no_policy",
  "policy_differs",
  "no_list",
  "redis_unusable",
] as const;

/** One of them. */
export type FindingCode = typeof findingCodes[number];

/** Questions a second about keys that nobody knows: what is usual, and what is the most. */
export const learningQuestions = { usual: 20, most: 1000 } as const;
