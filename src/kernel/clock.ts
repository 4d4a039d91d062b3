/** The source of "now"; tests put a fixed one in its place. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

let lastMs = Number.NaN;
let lastText = "";

/**
 * An instant in milliseconds as our own times are written: UTC with milliseconds,
 * `2026-01-31T09:00:00.000Z`.
 */
export function toTimestamp(ms: number): string {
  // One change writes its instant several times.
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
