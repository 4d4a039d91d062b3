import { emailWarning } from "../contract/changed-emails.ts";

/**
 * A developer's address in a list, with a word before it where it is not confirmed, or changed in
 * the last 14 days.
 */
export function markedEmail(email: string, state: string, changed_at: string | null): string {
  const warning = emailWarning({ state, changed_at }, Date.now());
  return warning === undefined ? email : `${warning}: ${email}`;
}
