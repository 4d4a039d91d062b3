/** The people who see an API: everyone, developers who are signed in, or the invited ones alone. */
export const visibilities = ["public", "signed_in", "invited"] as const;

/** One of them. */
export type Visibility = typeof visibilities[number];
