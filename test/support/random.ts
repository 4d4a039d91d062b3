/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** One of these. Throws when there is none. */
  pick<T>(items: readonly T[]): T {
    const index = this.below(items.length);
    // as: the index lies within the items.
    if (index < items.length) return items[index] as T;
    throw new Error("nothing to pick from");
  }

  /** True this often. */
  chance(share: number): boolean {
    return this.next() < share;
  }
}
