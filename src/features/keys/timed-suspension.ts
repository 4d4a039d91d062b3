/** For how many minutes a key can be suspended at the most so that it resumes by itself. */
export const LONGEST_MINUTES = 24 * 60;

/** Milliseconds of a minute. */
export const MINUTE_MS = 60_000;

/** Why a key was resumed by itself. */
export const OVER_AGAIN = "The time is over for which it was suspended.";
