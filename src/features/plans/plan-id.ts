/** What a plan's `_id` looks like. */
export const PLAN_ID = /^[0-9a-f]{24}$/;
