/** The name of the trouble that lasts as long as clocks are too far apart. */
export const CLOCKS_APART = "clocks_apart";

/** So far apart clocks may be. */
export const APART_MS = 30_000;

/** Less is no news of a clock: half a second is what is told as one. */
const TOLD_MS = 500;

/** A process, and how far its clock is ahead of the database's in milliseconds. */
export interface NodeClock {
  name: string;
  ahead_ms: number;
}

/**
 * What is wrong with the clocks of processes and the database's, in a sentence; undefined: they are
 * near each other.
 */
export function clocksApart(clocks: readonly NodeClock[]): string | undefined {
  const sorted = [{ name: "", ahead_ms: 0 }, ...clocks].toSorted((a, b) => a.ahead_ms - b.ahead_ms);
  const [slowest, fastest] = [sorted[0], sorted.at(-1)];
  if (!slowest || !fastest || fastest.ahead_ms - slowest.ahead_ms <= APART_MS) return undefined;
  const told = [
    ...fastest.ahead_ms >= TOLD_MS
      ? [`that of ${fastest.name} is ${seconds(fastest.ahead_ms)} ahead`]
      : [],
    ...slowest.ahead_ms <= -TOLD_MS
      ? [`that of ${slowest.name} is ${seconds(slowest.ahead_ms)} behind`]
      : [],
  ];
  return `clocks are more than ${seconds(APART_MS)} apart: by the database's clock ` +
    `${told.join(" and ")}. Set them by NTP`;
}

function seconds(ms: number): string {
  return `${Math.round(Math.abs(ms) / 1000)} s`;
}
