/** Represents no one where a person is meant. */
export const UNASSIGNED = "nobody";

/** The person whom a word means, by their id; null: no one. */
export function personOf({ user_id }: { user_id: string }, word: string): string | null {
  return word === "me" ? user_id : word === UNASSIGNED ? null : word;
}
