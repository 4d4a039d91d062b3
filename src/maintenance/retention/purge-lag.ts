import { toTimestamp } from "../../kernel/clock.ts";

/** The problem's name; it stops nothing. */
export const PURGE_DELAYED = "purge_held_back";

/** Less than this is caught up within the hour, and is not reported. */
const REPORTED_MS = 24 * 60 * 60 * 1000;

/**
 * The warning if the clock is ahead of the time by which rows are purged; undefined if the
 * difference is small.
 */
export function purgeLag(until: number, now: number): string | undefined {
  if (now - until <= REPORTED_MS) return undefined;
  return `purging goes by ${toTimestamp(until)} while the clock says ${toTimestamp(now)}: ` +
    "it was put forward, or nothing ran for long. What seems to have ended since then stays, a day of it goes in each " +
    "hour after a start; where the clock is right, `keydesk purge --now` lifts that";
}
