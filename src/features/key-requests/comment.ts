/**
 * Comments of the team about a request, while it waits and afterwards. No answer about the request
 * contains them, nor does any message: channels are notified that there is a comment, and mentioned
 * people get a link by mail.
 */

/** The action and topic of a comment. */
export const COMMENTED = "key_request.commented";

/** Whom a stored comment mentions. */
export function mentionsOf({ mentions }: { mentions: string }): string[] {
  // as: addComment writes a list of ids.
  return JSON.parse(mentions) as string[];
}
