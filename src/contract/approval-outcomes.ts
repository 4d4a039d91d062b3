/**
 * What a policy wants: what the catalogue says (nobody, or one approver); nobody; one approver; or
 * those of its steps, one after another.
 */
export const outcomes = ["catalogue", "at_once", "one", "steps"] as const;

/** One of them. */
export type Outcome = typeof outcomes[number];
