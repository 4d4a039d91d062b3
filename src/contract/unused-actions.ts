/** How far it goes with a key that nobody uses, the gentlest first. */
export const unusedActions = ["off", "warn", "suspend", "revoke"] as const;
/** One of them. */
export type UnusedAction = typeof unusedActions[number];
