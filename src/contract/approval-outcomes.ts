/**
 * The outcomes of a policy: by the catalogue (no approver, or one); no approver; one approver; or
 * those of its steps, one after another.
 */
export const outcomes = ["catalogue", "at_once", "one", "steps"] as const;

/** One of them. */
export type Outcome = typeof outcomes[number];
