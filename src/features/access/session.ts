import { sha256 } from "../../kernel/sha256.ts";

/** How long a session lasts, in milliseconds. */
export const SESSION_MS = 12 * 60 * 60 * 1000;

/** How long a code that signs in once is good for, in milliseconds. */
export const CODE_MS = 10 * 60 * 1000;

/**
 * What a state-changing call by session must carry beside the cookie. It follows from the session's secret, so
 * nothing is stored; it does not lead back to it. A page of another origin can read neither.
 */
export function csrfTokenOf(secret: string): string {
  return sha256(`keydesk csrf\0${secret}`);
}
