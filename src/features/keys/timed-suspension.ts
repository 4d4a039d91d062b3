/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000;

/** Why a key was resumed by itself. */
export const OVER_AGAIN = "The time is over for which it was suspended.";
