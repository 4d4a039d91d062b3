/**
 * Words that a developer adds to a request of theirs that waits. They are for anyone who decides
 * and change nothing of what is asked for: approvals, signatures and `If-Match` go on as before.
 */

/** The words of one time, as they are stored with the request. */
interface AddedWords {
  at: string;
  /** The developer who said them; whoever the request is moved to reads none of them. */
  by: string;
  words: string;
}

/** So often words are added to one request. */
export const MOST_WORDS = 20;

/** The additions that were stored with a request; empty for null. */
export function addedIn(text: string | null): AddedWords[] {
  // as: addWords wrote exactly this.
  return text === null ? [] : JSON.parse(text) as AddedWords[];
}

/** The words of the person who asks now, in the order in which they were said. */
export function toAdded(
  { added_words, by_user }: { added_words: string | null; by_user: string },
): Pick<AddedWords, "at" | "words">[] {
  return addedIn(added_words).filter(({ by }) => by === by_user)
    .map(({ at, words }) => ({ at, words }));
}
