import { toTimestamp } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { type SessionOpener, sessionOpeners } from "../../contract/session-openers.ts";

const HOUR_MS = 60 * 60 * 1000;

/** How long a session lasts, in milliseconds. */
const SESSION_MS = 12 * HOUR_MS;

/** The way in which a stored session began; older rows by a token, or a code made with one. */
export function openerOf(opened_by: string | null): SessionOpener {
  return sessionOpeners.find((one) => one === opened_by) ?? "token";
}

/**
 * How long a session lasts at the most, and unused, in milliseconds (0: as long as it lasts): of a
 * passkey or a provider 7 days and 12 hours, of all else 12 hours and what the setting says.
 */
export function spansOf(
  opener: SessionOpener,
  settingIdleMs: number,
): { lifeMs: number; idleMs: number } {
  return opener === "passkey" || opener === "provider"
    ? { lifeMs: 7 * 24 * HOUR_MS, idleMs: 12 * HOUR_MS }
    : { lifeMs: SESSION_MS, idleMs: settingIdleMs };
}

/** How long a code that signs in once is good for, in milliseconds. */
export const CODE_MS = 10 * 60 * 1000;

/** For how long after its sign-in a session may change people and access tokens, in ms. */
export const FRESH_MS = 5 * 60 * 1000;

/** Sessions that a person has at once; one more ends the oldest. */
export const MOST_SESSIONS = 20;

/** When a session began, was used and ends. */
interface SessionTimes {
  readonly created_at: string;
  /** About when it was last used; null: not since it began. */
  readonly last_used_at: string | null;
  readonly expires_at: string;
  readonly opened_by: string | null;
}

/**
 * Whether a session opens anything: neither ended, nor unused for too long; `settingIdleMs` as
 * spansOf takes it.
 */
export function isOpen(times: SessionTimes, now: number, settingIdleMs: number): boolean {
  const { idleMs } = spansOf(openerOf(times.opened_by), settingIdleMs);
  return Date.parse(times.expires_at) > now && (idleMs === 0 || lastUseOf(times) + idleMs > now);
}

/** When a session was last used, in milliseconds; its sign-in is a use. */
export function lastUseOf(
  { created_at, last_used_at }: Pick<SessionTimes, "created_at" | "last_used_at">,
): number {
  return Date.parse(last_used_at ?? created_at);
}

/**
 * Whether a person proved just now who they are: each sign-in makes a fresh session, but by a
 * provider only where that has just asked them, and as it is demanded.
 */
export function isFresh(
  { created_at, proved_at }: { created_at: string; proved_at: string | null },
  now: number,
): boolean {
  return Date.parse(proved_at ?? created_at) + FRESH_MS > now;
}

/**
 * The CSRF token that a state-changing call by session must carry beside the cookie. It follows
 * from the session's secret, so it is not stored; it does not lead back to it. A page of another
 * origin can read neither.
 */
export function csrfTokenOf(secret: string): string {
  return sha256(`keydesk csrf\0${secret}`);
}

/** A session as it is listed. */
export function toSession(
  row: SessionTimes & { id: string; browser: string | null; address: string | null },
) {
  return {
    id: row.id,
    browser: row.browser ?? "",
    address: row.address ?? "",
    signed_in_by: openerOf(row.opened_by),
    date_created: row.created_at,
    last_used_at: toTimestamp(lastUseOf(row)),
    expires_at: row.expires_at,
  };
}
