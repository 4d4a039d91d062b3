/** What a session can have begun with. */
export const sessionOpeners = ["token", "code", "invitation", "passkey", "provider"] as const;

/** One of them. */
export type SessionOpener = typeof sessionOpeners[number];
