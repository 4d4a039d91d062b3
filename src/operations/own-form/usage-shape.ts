/** What travels of use, by the hour and by the day. */
export function usage() {
  return {
    key: ["kind", "object_id", "begins#", "plan_id", "api_id"],
    columns: [
      "kind",
      "object_id",
      "begins#",
      "plan_id",
      "api_id",
      "success#",
      "error_401#",
      "error_403#",
      "error_429#",
      "refused_unknown#?",
      "refused_revoked#?",
      "refused_suspended#?",
      "refused_damaged#?",
      "refused_expired#?",
      "refused_unknown_plan#?",
      "refused_plan_inactive#?",
      "refused_wrong_api#?",
      "refused_address#?",
      "refused_address_unknown#?",
      "refused_over_rate#?",
      "refused_over_quota#?",
      "refused_unsure#?",
      "last_hit",
    ],
  } as const;
}
