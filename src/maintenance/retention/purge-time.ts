/** How fast the purger's time catches up after a start: a day in each hour of running. */
const CATCH_UP = 24;

/** How far the time in the store may fall behind: what a crash makes be caught up. */
const KEPT_WITHIN_MS = 10 * 60_000;
/** How far a time that another process advanced counts in one look, and in the next wholly. */
const BELIEVED_AT_ONCE_MS = 24 * 60 * 60 * 1000;

/** How long a clock must be behind the store's time before the latter is believed to be wrong. */
const BELIEVED_MS = 24 * 60 * 60 * 1000;

/**
 * The time by which is purged. It never runs ahead of the clock, and moves on by what a monotonic
 * clock has measured, so that a clock that jumps forward ends nothing. The time before the first
 * look, while nothing ran, is caught up at one day in each hour. A time that another process
 * brought further counts here too, a day of it at once and the rest from the next look on: so no
 * look goes further than a day by what was not known at the look before. A clock that is put back
 * and set right again loses nothing, since the store keeps the time as it was; only after a day of
 * running is it put back there too.
 */
export class PurgeTime {
  #until: number | undefined;
  #behind = 0;
  #lookedAt = 0;
  #aheadFor = 0;
  /** The store's value at the last look. */
  #stored = 0;

  /** `measured`: milliseconds of a clock that no one sets. */
  constructor(readonly measured: () => number = () => performance.now()) {}

  /**
   * Moves the time on and gives it. `stored`: what the store keeps of it; `now`: what the clock
   * says. `measured` was read before the clock: what passes between them counts the next time,
   * instead of never.
   */
  look(stored: number, now: number, measured = this.measured()): number {
    const passed = measured - this.#lookedAt;
    this.#lookedAt = measured;
    if (this.#until === undefined) {
      this.#until = Math.min(now, stored);
      this.#stored = stored;
      this.#behind = now - this.#until;
      return this.#until;
    }
    this.#aheadFor = stored > now ? this.#aheadFor + passed : 0;
    const caughtUp = Math.min(this.#behind, passed * (CATCH_UP - 1));
    const believed = Math.min(stored, Math.max(this.#stored, this.#until + BELIEVED_AT_ONCE_MS));
    this.#stored = stored;
    this.#until = Math.min(now, Math.max(believed, this.#until + passed + caughtUp));
    this.#behind = Math.min(this.#behind - caughtUp, now - this.#until);
    return this.#until;
  }

  /** Whether the store should be notified of it. */
  isToBeKept(stored: number): boolean {
    return (this.#until ?? stored) - stored >= KEPT_WITHIN_MS || this.#aheadFor >= BELIEVED_MS;
  }
}
