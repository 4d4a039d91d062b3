/** The ways in which a session can begin. */
export const sessionOpeners = ["token", "code", "invitation", "passkey", "provider"] as const;

/** One of them. */
export type SessionOpener = typeof sessionOpeners[number];
