/** Milliseconds from the first instant of the year 0000 to 1970. */
const YEAR_ZERO_MS = 62_167_219_200_000;
/**
 * Positions in one millisecond: more, and the year 9999 would not fit into what both engines count
 * exactly.
 */
const IN_ONE_MS = 16;

/**
 * The first position of an instant (kernel/timestamps.ts): positions sort like the milliseconds of
 * instants.
 */
export function positionOf(instant: string): number {
  const ms = Date.parse(`${instant.slice(0, 23)}Z`);
  return Number.isNaN(ms) ? 0 : (ms + YEAR_ZERO_MS) * IN_ONE_MS;
}

/**
 * The position to try at the `attempt`-th try from 0 on: near its instant, in a window that widens
 * while it is occupied. `random` in [0, 1).
 */
export function positionToTry(instant: string, attempt: number, random: number): number {
  const width = IN_ONE_MS * 4 ** Math.min(attempt, 16);
  return positionOf(instant) + Math.floor(random * width);
}
