/** How often it is looked whose time is over. */
const TICK_MS = 250;

/** What a connection is waited for. */
export type Awaited = "head" | "request" | "taking" | "leaving";

/** Whatever has a time by which it must go on. */
export interface Timed {
  /** It did not. */
  expire(awaited: Awaited): void;
}

/**
 * The deadlines of all connections. What waits for the same has the same time, so the set of each
 * is in the order of its deadlines: adding and removing cost nothing, and a tick looks at no more
 * than has expired.
 */
export class Deadlines<T extends Timed> {
  readonly #ticks: Readonly<Record<Awaited, number>>;
  readonly #waiting: Readonly<Record<Awaited, Map<T, number>>> = {
    head: new Map(),
    request: new Map(),
    taking: new Map(),
    leaving: new Map(),
  };
  #now = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** How long each is waited for, in milliseconds. */
  constructor(ms: Readonly<Record<Awaited, number>>) {
    // The tick that is under way counts as none.
    const ticks = (one: number) => Math.ceil(one / TICK_MS) + 1;
    this.#ticks = {
      head: ticks(ms.head),
      request: ticks(ms.request),
      taking: ticks(ms.taking),
      leaving: ticks(ms.leaving),
    };
  }

  /** Waits from now on. One that waits for this already begins anew. */
  begin(one: T, awaited: Awaited): void {
    const waiting = this.#waiting[awaited];
    waiting.delete(one);
    waiting.set(one, this.#now);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  end(one: T, awaited: Awaited): void {
    this.#waiting[awaited].delete(one);
  }

  /** The one that has waited for this the longest, and at least so long; undefined: none. */
  longest(awaited: Awaited, atLeastMs = 0): T | undefined {
    for (const [one, since] of this.#waiting[awaited]) {
      return (this.#now - since) * TICK_MS >= atLeastMs ? one : undefined;
    }
    return undefined;
  }

  /** Whether this one has waited for it at least so long. */
  hasWaited(one: T, awaited: Awaited, atLeastMs: number): boolean {
    const since = this.#waiting[awaited].get(one);
    return since !== undefined && (this.#now - since) * TICK_MS >= atLeastMs;
  }

  /** Nothing expires any more. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const waiting of Object.values(this.#waiting)) waiting.clear();
  }

  #tick(): void {
    this.#now++;
    let left = 0;
    for (const awaited of ["head", "request", "taking", "leaving"] as const) {
      const waiting = this.#waiting[awaited];
      for (const [one, since] of waiting) {
        if (this.#now - since < this.#ticks[awaited]) break;
        waiting.delete(one);
        one.expire(awaited);
      }
      left += waiting.size;
    }
    if (left > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
