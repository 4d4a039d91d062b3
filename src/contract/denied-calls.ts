/**
 * Why a key is denied, in the order of looking, each with the status
 * that forward-auth answers. The one list: results, metrics, counts and single denied calls follow
 * it. A reason more is a column more of use (`REASON_COLUMNS` of the schema, with its migration)
 * and a sentence more of the console and of the developer's pages.
 */
export const denialStatus = {
  unknown: 401,
  revoked: 401,
  suspended: 401,
  damaged: 401,
  expired: 401,
  address_unknown: 403,
  address: 403,
  unknown_plan: 403,
  plan_inactive: 403,
  wrong_api: 403,
  over_rate: 429,
  over_quota: 429,
} as const;

/** One of the reasons. */
export type DenialReason = keyof typeof denialStatus;

/** All of them, in the order of looking. */
// as: the keys of that literal, in its order, of which there are some.
export const denialReasons = Object.keys(denialStatus) as [DenialReason, ...DenialReason[]];

/**
 * Of these, why a key is denied at each call, whichever API is called: what its plans are. In the
 * order of looking.
 */
export const deniedByPlans = [
  "unknown_plan",
  "plan_inactive",
  "wrong_api",
] as const satisfies readonly DenialReason[];

/** One of them. */
export type DeniedByPlans = typeof deniedByPlans[number];

/**
 * The counters beside the allowed calls: the reasons, and `unsure`, for calls that could not be
 * decided and were answered with 503.
 */
export const countedReasons: readonly [CountedReason, ...CountedReason[]] = [
  ...denialReasons,
  "unsure",
];

/** One of those. */
export type CountedReason = DenialReason | "unsure";

/** How many calls were refused for which reason; absent: none. */
export type Reasons = Partial<Record<CountedReason, number>>;
