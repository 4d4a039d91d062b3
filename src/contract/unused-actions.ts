/** How far it goes with a key that no one uses, the gentlest first. */
export const unusedActions = ["off", "warn", "suspend", "revoke"] as const;
/** One of them. */
export type UnusedAction = typeof unusedActions[number];
