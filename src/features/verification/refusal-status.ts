import type { Refusal } from "./verification.contract.ts";

/** The status of each reason, where a verdict is one. */
export const statusOf: Readonly<Record<Refusal, 401 | 403 | 429>> = {
  unknown: 401,
  revoked: 401,
  suspended: 401,
  damaged: 401,
  expired: 401,
  unknown_plan: 403,
  plan_inactive: 403,
  wrong_api: 403,
  over_rate: 429,
  over_quota: 429,
};
