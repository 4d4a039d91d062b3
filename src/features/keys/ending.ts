import type { Settings } from "../../calls/context.ts";
import { may, type Principal } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";

/** How a person ends keys. */
export interface Ending {
  /** Until when they can be brought back; null: they are revoked for good. */
  undo_until: string | null;
  /** How many keys the caller may end within an hour; null: any number. */
  at_most: number | null;
}

/** How anyone who may approve ends keys, and what is ended by their rules. */
export const FOR_GOOD: Ending = { undo_until: null, at_most: null };

/** How long what was ended can be brought back: 7 days. */
const UNDO_MS = 7 * 24 * 60 * 60 * 1000;

/** Until when what is ended at `now` can be brought back. */
export function undoUntil(now: number): string {
  return toTimestamp(now + UNDO_MS);
}

/**
 * How this caller ends keys at `now`: for good with `approve`, else so that it can be undone, and
 * not too many.
 */
export function endingOf(
  caller: Principal,
  { revokeRateLimit }: Pick<Settings, "revokeRateLimit">,
  now: number,
): Ending {
  if (may(caller, "approve")) return FOR_GOOD;
  return { undo_until: undoUntil(now), at_most: revokeRateLimit };
}
