/**
 * What people of the team say to each other about a request, while it waits and afterwards. No
 * answer about the request holds it, nor does any message: channels are told that something was
 * said, and who is mentioned gets a link by mail.
 */

/** The action and topic of a comment. */
export const COMMENTED = "key_request.commented";

/** Whom a stored comment mentions. */
export function mentionsOf({ mentions }: { mentions: string }): string[] {
  // as: addComment writes a list of ids.
  return JSON.parse(mentions) as string[];
}
