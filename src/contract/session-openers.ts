/** What a session can have begun with. */
export const sessionOpeners = ["token", "code", "invitation", "passkey"] as const;

/** One of them. */
export type SessionOpener = typeof sessionOpeners[number];
