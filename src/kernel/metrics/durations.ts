/** The limits of the buckets, in seconds. */
export const BOUNDS = [
  0.001,
  0.0025,
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
] as const;

/** How long things took: their number, their sum, and how many fell into each bucket. */
export class Durations {
  /** One more than there are bounds: what took longer than the last. */
  readonly #buckets: number[] = new Array(BOUNDS.length + 1).fill(0);
  #sum = 0;

  /** Counts one that took so many milliseconds. */
  add(ms: number): void {
    const seconds = ms / 1000;
    let i = 0;
    while (i < BOUNDS.length && seconds > (BOUNDS[i] ?? 0)) i++;
    this.#buckets[i] = (this.#buckets[i] ?? 0) + 1;
    this.#sum += seconds;
  }

  /** Seconds of all together. */
  get sum(): number {
    return this.#sum;
  }

  /** For each bound how many took so long or less, and last how many there were. */
  get cumulative(): number[] {
    let sum = 0;
    return this.#buckets.map((n) => sum += n);
  }
}
