/**
 * How many failures cost nothing, how long the wait after the next one is, and to what its doubling
 * grows.
 */
export interface Limit {
  free: number;
  firstMs: number;
  longestMs: number;
}

/**
 * The limit for one of `processes`, so that together they allow as much as one alone would: as many
 * failures before the first wait, but at least one each, and as many in the long run.
 */
export function limitOfOne({ free, firstMs, longestMs }: Limit, processes: number): Limit {
  return {
    // The failure behind the free ones is looked at too; the wait begins with it.
    free: Math.max(0, Math.floor((free + 1) / processes) - 1),
    firstMs: firstMs * processes,
    longestMs: longestMs * processes,
  };
}

interface Counter {
  failures: number;
  /** When the last failure was counted. */
  at: number;
  /** Until when further ones are refused unseen. */
  until: number;
}

/** A counter is forgotten after this time without a failure. */
export const FORGOTTEN_MS = 60 * 60 * 1000;

/**
 * Failures by key, with a wait that doubles. Holds at most `most` keys: the one that was touched
 * longest ago goes first. Times are milliseconds of one clock.
 */
export class BoundedCounters {
  readonly #limit: Limit;
  readonly #most: number;
  /** In the order in which they were touched. */
  readonly #counters = new Map<string, Counter>();

  constructor(limit: Limit, most: number) {
    this.#limit = limit;
    this.#most = most;
  }

  /** How many keys are held. */
  get size(): number {
    return this.#counters.size;
  }

  /** For how many more milliseconds this key is refused; 0: it is not. */
  waitOf(key: string, now: number): number {
    return Math.max(0, (this.#counters.get(key)?.until ?? 0) - now);
  }

  /** Counts a failure. The function that it gives takes this one back. */
  add(key: string, now: number): () => void {
    const counter = this.#touch(key, now);
    const { free, firstMs, longestMs } = this.#limit;
    const before = counter.until;
    counter.failures += 1;
    counter.at = now;
    const beyond = counter.failures - free;
    if (beyond > 0) counter.until = now + Math.min(longestMs, firstMs * 2 ** (beyond - 1));
    const { until } = counter;
    return () => {
      counter.failures -= 1;
      // If another attempt failed meanwhile, the wait belongs to it.
      if (counter.until === until) counter.until = before;
    };
  }

  /** Forgets a key. */
  forget(key: string): void {
    this.#counters.delete(key);
  }

  #touch(key: string, now: number): Counter {
    const known = this.#counters.get(key);
    this.#counters.delete(key);
    const counter = known && now - known.at < FORGOTTEN_MS
      ? known
      : { failures: 0, at: now, until: 0 };
    this.#counters.set(key, counter);
    if (this.#counters.size > this.#most) {
      const [oldest] = this.#counters.keys();
      if (oldest !== undefined) this.#counters.delete(oldest);
    }
    return counter;
  }
}
