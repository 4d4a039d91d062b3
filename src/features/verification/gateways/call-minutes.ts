const MINUTE_MS = 60_000;
/** Minutes that are kept: nodes write a little later, and their clocks differ a little. */
const KEPT = 5;
/** Every node has written what it counted at that time. */
const WRITTEN_MS = 10_000;

/** Calls in a minute since 1970. */
export type MinuteCalls = readonly [minute: number, calls: number];

/** The minute of a time in milliseconds since 1970. */
export function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}

/**
 * Adds calls to those that a gateway has had, whoever wrote them and in whichever order; of the
 * newest minutes alone. `text`: as it is stored; "" for none.
 */
export function addMinutes(text: string, more: readonly MinuteCalls[]): string {
  const all = new Map(readMinutes(text));
  for (const [minute, calls] of more) all.set(minute, (all.get(minute) ?? 0) + calls);
  const newest = [...all].sort(([a], [b]) => b - a).slice(0, KEPT);
  return newest.map((one) => one.join(":")).join(" ");
}

/** The calls of all nodes in the last whole minute that each of them has written by `now`. */
export function callsAMinute(text: string, now: number): number {
  return new Map(readMinutes(text)).get(minuteOf(now - WRITTEN_MS) - 1) ?? 0;
}

function readMinutes(text: string): MinuteCalls[] {
  return text.split(" ").filter((one) => one !== "").map((one) => {
    const [minute = 0, calls = 0] = one.split(":").map(Number);
    return [minute, calls];
  });
}
