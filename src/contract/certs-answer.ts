/** How lists of certificates read: ours, or exactly in the original's two shapes. */
export const certsAnswers = ["full", "original"] as const;

/** One of them. */
export type CertsAnswer = typeof certsAnswers[number];
