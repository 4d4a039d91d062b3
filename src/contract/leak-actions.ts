/** The actions on a key or access token that was reported as leaked, the mildest first. */
export const leakActions = ["tell", "suspend", "revoke"] as const;
/** One of them. `tell`: it is marked, and the audit log and the outbox tell of it. */
export type LeakAction = typeof leakActions[number];

/** The strictest of these; `tell` where there is none. */
export function strictest(actions: readonly LeakAction[]): LeakAction {
  return leakActions.findLast((one) => actions.includes(one)) ?? "tell";
}

/** Whether `one` does more than `other`. */
export function isStricter(one: LeakAction, other: LeakAction): boolean {
  return leakActions.indexOf(one) > leakActions.indexOf(other);
}
