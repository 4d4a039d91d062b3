/** For how many minutes a key can be suspended at the most so that it resumes by itself. */
export const LONGEST_MINUTES = 24 * 60;
