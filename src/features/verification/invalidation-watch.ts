import {
  findPosition,
  type Invalidation,
  invalidationsAfter,
} from "../../changes/invalidations.store.ts";
import { Failure } from "../../kernel/failure.ts";
import { inTime } from "../../kernel/in-time.ts";
import type { Connection } from "../../storage/storage.ts";

/** The listeners to changes. Both functions must be done when they return. */
export interface Forgetful {
  /** This key or plan must be looked at again. */
  forget(changed: Omit<Invalidation, "position">): void;
  /** Everything must be looked at again. */
  forgetAll(): void;
}

/** How often the store is asked what has changed, while anybody verifies. */
const EVERY_MS = 250;
/** Without a verification for so long, none asks; the next one asks before it is answered. */
const IDLE_MS = 10_000;
/**
 * A look that has not come back after this long, or is too old to be trusted, is given up, and
 * another one sent.
 */
const PATIENCE_MS = 2000;
/** invalidationsAfter gives no more; so many may not be all. */
const MOST = 1000;

/**
 * Looks for changes in the store, so that what is served from memory is never older than
 * `maxStaleMs`. Positions are read before whatever is kept is loaded: what changes after that has a
 * higher one, and is heard of.
 */
export class InvalidationWatch {
  readonly #db: Connection;
  readonly #memory: Forgetful;
  readonly #maxStaleMs: number;
  readonly #patienceMs: number;
  #position: number | undefined;
  /** When the last look that came back was begun. */
  #lookedAt = -Infinity;
  #askedAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking: { done: Promise<void>; since: number } | undefined;
  #closed = false;

  constructor(db: Connection, memory: Forgetful, maxStaleMs: number) {
    this.#db = db;
    this.#memory = memory;
    this.#maxStaleMs = maxStaleMs;
    this.#patienceMs = Math.min(PATIENCE_MS, maxStaleMs);
  }

  /** How old the last look is, in milliseconds; undefined while no one verifies. */
  stalenessMs(): number | undefined {
    return this.#timer === undefined || this.#lookedAt === -Infinity
      ? undefined
      : performance.now() - this.#lookedAt;
  }

  /** Whether memory can be trusted now. `nowMs` is of performance.now(). */
  isFresh(nowMs: number): boolean {
    this.#askedAt = nowMs;
    if (this.#timer === undefined && !this.#closed) this.#start();
    return nowMs - this.#lookedAt <= this.#maxStaleMs;
  }

  /**
   * Looks now, or waits for the look that is under way, until it is `patienceMs` old. Throws
   * `unavailable` when none succeeds in time.
   */
  async refresh(patienceMs: number): Promise<void> {
    const looking = this.look();
    const since = this.#looking?.since ?? -Infinity;
    const leftMs = Math.max(0, since + patienceMs - performance.now());
    await inTime(looking, leftMs, () => {});
    if (!this.isFresh(performance.now())) throw new Failure("unavailable");
  }

  /** One look, unless one is under way. Never throws: whether it succeeded shows in `isFresh`. */
  look(): Promise<void> {
    const now = performance.now();
    if (this.#looking && now - this.#looking.since < this.#patienceMs) return this.#looking.done;
    const own: { done: Promise<void>; since: number } = { done: Promise.resolve(), since: now };
    this.#looking = own;
    // One that was given up must not speak any more: its rows are older than what is known by now.
    const isCurrent = () => this.#looking === own && !this.#closed;
    own.done = this.#look(now, isCurrent).catch(() => {}).finally(() => {
      if (this.#looking === own) this.#looking = undefined;
    });
    return own.done;
  }

  /** Asks no more. */
  close(): void {
    this.#closed = true;
    this.#stop();
  }

  async #look(startedMs: number, isCurrent: () => boolean): Promise<void> {
    const position = await findPosition(this.#db);
    if (!isCurrent()) return;
    const known = this.#position;
    if (known === undefined || position < known) {
      // Lower than before: this is not the store that it was.
      this.#memory.forgetAll();
    } else if (position > known) {
      const rows = await invalidationsAfter(this.#db, known);
      if (!isCurrent()) return;
      const whole = rows.length >= position - known && rows.length < MOST &&
        rows.every((row, i) => row.position === known + 1 + i);
      if (!whole) this.#memory.forgetAll();
      else for (const row of rows) this.#memory.forget(row);
    }
    // Rows that came in after the position was read are told of twice.
    this.#position = position;
    this.#lookedAt = startedMs;
  }

  #start(): void {
    this.#timer = setInterval(() => this.#tick(), EVERY_MS);
    this.#timer.unref();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    if (performance.now() - this.#askedAt > IDLE_MS) this.#stop();
    else void this.look();
  }
}
