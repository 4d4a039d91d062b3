/** How much of a limit is left. */
export interface Remaining {
  limit: number;
  /** Whole calls that would pass now. */
  remaining: number;
  /** Seconds until all of the limit is there again; whole, rounded up. Null: it never is. */
  reset: number | null;
}

/**
 * The state of one key's rate: the moment at which its bucket is full again, on a clock that never
 * goes back.
 */
export interface RateState {
  fullAt: number;
  /** Milliseconds in which the bucket refills by one call, as it was last; 0: never used. */
  intervalMs: number;
}

/** Rounding of intervals such as a seventh of a second must not cost a call. */
const ROUNDING_MS = 1e-6;

/**
 * Takes one call out of a bucket of `rate` calls that refills evenly within `periodMs`. So `rate`
 * calls may come at once, the long run never exceeds the rate, and no period of that length sees
 * more than twice the rate. Gives 0, or the milliseconds after which the call would pass; then
 * nothing was taken.
 */
export function takeCall(state: RateState, rate: number, periodMs: number, nowMs: number): number {
  const interval = periodMs / rate;
  if (state.intervalMs !== interval) changeRate(state, interval, periodMs, nowMs);
  const fullAt = Math.max(state.fullAt, nowMs) + interval;
  const tooMuch = fullAt - nowMs - periodMs;
  if (tooMuch > ROUNDING_MS) return tooMuch;
  state.fullAt = fullAt;
  return 0;
}

/**
 * The calls that one of `processes` lets through of a rate, in each `periodOfOne`: together they
 * let through the rate. One at least, since no one can make half a call: a rate smaller than the
 * number of processes has a longer period.
 */
export function rateOfOne(rate: number, processes: number): number {
  return Math.max(1, rate / processes);
}

/** The milliseconds in which one of `processes` lets through `rateOfOne` calls. */
export function periodOfOne(rate: number, periodMs: number, processes: number): number {
  return rate >= processes ? periodMs : periodMs * processes / rate;
}

/**
 * The plan's rate is another one now: the calls that are still counted stay so many, and no debt
 * outlives a period.
 */
function changeRate(state: RateState, intervalMs: number, periodMs: number, nowMs: number): void {
  if (state.intervalMs > 0 && state.fullAt > nowMs) {
    const calls = (state.fullAt - nowMs) / state.intervalMs;
    state.fullAt = nowMs + Math.min(calls * intervalMs, periodMs);
  }
  state.intervalMs = intervalMs;
}

/** The rest after the last accepted call. */
export function rateRemaining(
  state: RateState,
  rate: number,
  periodMs: number,
  nowMs: number,
): Remaining {
  const used = Math.max(0, state.fullAt - nowMs);
  return {
    limit: rate,
    remaining: Math.max(0, Math.floor((periodMs - used + ROUNDING_MS) * rate / periodMs)),
    reset: Math.ceil(used / 1000),
  };
}
