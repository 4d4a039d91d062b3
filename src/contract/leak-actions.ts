/** The actions on a key or access token that was reported as leaked, the mildest first. */
export const leakActions = ["notify", "suspend", "revoke"] as const;
/** One of them. `notify`: it is marked, with an event in the audit log and for channels. */
export type LeakAction = typeof leakActions[number];

/** The strictest of these; `notify` where there is none. */
export function strictest(actions: readonly LeakAction[]): LeakAction {
  return leakActions.findLast((one) => actions.includes(one)) ?? "notify";
}

/** Whether `one` does more than `other`. */
export function isStricter(one: LeakAction, other: LeakAction): boolean {
  return leakActions.indexOf(one) > leakActions.indexOf(other);
}

/** An action as rows have it. */
export function storedLeakAction(action: LeakAction): "tell" | "suspend" | "revoke" {
  return action === "notify" ? "tell" : action;
}

/** The action of a row or a plan; any other text, such as `tell` of a row, is `notify`. */
export function leakActionFrom(stored: unknown): LeakAction {
  return leakActions.find((one) => one === stored) ?? "notify";
}
