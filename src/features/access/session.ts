import { sha256 } from "../../kernel/sha256.ts";

/** How long a session lasts, in milliseconds. */
export const SESSION_MS = 12 * 60 * 60 * 1000;

/** How long a code that signs in once is good for, in milliseconds. */
export const CODE_MS = 10 * 60 * 1000;

/** For how long after its sign-in a session may change people and access tokens, in ms. */
export const FRESH_MS = 5 * 60 * 1000;

/** Sessions that a person has at once; one more ends the oldest. */
export const MOST_SESSIONS = 20;

/** When a session began, was used and ends. */
export interface SessionTimes {
  readonly created_at: string;
  /** About when it was last used; null: not since it began. */
  readonly last_used_at: string | null;
  readonly expires_at: string;
}

/** Whether a session opens anything: neither ended, nor unused for `idleMs` (0: however long). */
export function isOpen(times: SessionTimes, now: number, idleMs: number): boolean {
  return Date.parse(times.expires_at) > now && (idleMs === 0 || lastUseOf(times) + idleMs > now);
}

/** When a session was last used, in milliseconds; its sign-in is a use. */
export function lastUseOf({ created_at, last_used_at }: SessionTimes): number {
  return Date.parse(last_used_at ?? created_at);
}

/**
 * Whether a credential or a code was presented for a session just now: each sign-in makes a fresh
 * session.
 */
export function isFresh({ created_at }: SessionTimes, now: number): boolean {
  return Date.parse(created_at) + FRESH_MS > now;
}

/**
 * What a state-changing call by session must carry beside the cookie. It follows from the session's
 * secret, so nothing is stored; it does not lead back to it. A page of another origin can read
 * neither.
 */
export function csrfTokenOf(secret: string): string {
  return sha256(`keydesk csrf\0${secret}`);
}
