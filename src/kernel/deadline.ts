import { Failure } from "./failure.ts";
import { inTime } from "./in-time.ts";

/**
 * An answer within this time costs no waiting: a call may make many queries while the store is
 * well.
 */
const PROMPT_MS = 50;
/** The longest that a timer can be set to. */
const LONGEST_MS = 2 ** 31 - 1;

/** Why a call was given up. `byCaller`: its caller allows less time than the store did. */
export class TimeOver extends Error {
  constructor(readonly byCaller: boolean) {
    super(byCaller ? "the caller's time is over" : "the time for this call is over");
  }
}

/**
 * Until when one call waits for the store: the same for looking up who calls, for a connection, for
 * each statement and for the commit. Only waiting is charged, and no answer that comes promptly.
 */
export class Deadline {
  #leftMs: number;
  /** The time in all, with prompt answers. */
  #inAllMs: number;
  #until: number;
  #waits = 0;
  /** Since when nothing was answered, while a person waits. */
  #since = 0;
  #commits = 0;

  /**
   * `ms`: how long it waits in all. `withinMs`: after what time, waiting or not, no one wants the
   * answer any more. `inAllMs`: how long it waits where prompt answers count too.
   */
  constructor(ms: number, withinMs = Infinity, inAllMs = Infinity) {
    this.#leftMs = ms;
    this.#inAllMs = inAllMs;
    // Most calls have no such end, and need no clock.
    this.#until = withinMs === Infinity ? Infinity : performance.now() + withinMs;
  }

  get isOver(): boolean {
    return this.#left() <= 0;
  }

  /**
   * Throws `unavailable` once the time is over: before something is asked that no one would wait
   * for.
   */
  check(): void {
    if (this.isOver) throw this.#failure();
  }

  /** Something was answered on the way to what is waited for. */
  progress(): void {
    if (this.#waits === 0) return;
    this.#leftMs -= this.#chargedMs();
    this.#inAllMs -= this.#waitedMs();
    this.#since = performance.now();
  }

  /**
   * The promise's result. Throws `unavailable` once the time is over, which says so if a commit is
   * under way then; the later end of the promise is ignored.
   */
  async waitFor<T>(promise: Promise<T>): Promise<T> {
    if (this.#waits++ === 0) this.#since = performance.now();
    try {
      return await this.#race(promise, () => this.#left());
    } finally {
      this.progress();
      this.#waits--;
    }
  }

  /** Limits work that does more than wait for the store: it ends with the caller's time alone. */
  async limit<T>(promise: Promise<T>): Promise<T> {
    return await this.#race(promise, () => this.#until - performance.now());
  }

  /** Waits for a commit. Until it is answered no one knows whether it was done. */
  async committing<T>(commit: () => Promise<T>): Promise<T> {
    this.#commits++;
    try {
      return await commit();
    } finally {
      this.#commits--;
    }
  }

  /** The answer begins: what is still read of it is read page by page, each in its own time. */
  lift(): void {
    this.#leftMs = Infinity;
    this.#inAllMs = Infinity;
    this.#until = Infinity;
  }

  async #race<T>(promise: Promise<T>, left: () => number): Promise<T> {
    for (;;) {
      const ms = left();
      if (ms === Infinity) return await promise;
      const answer = await inTime(promise, Math.min(Math.max(0, ms), LONGEST_MS), late);
      if (!(answer instanceof Late)) return answer;
      if (left() <= 0) throw this.#failure();
    }
  }

  #left(): number {
    return Math.min(
      this.#leftMs - this.#chargedMs(),
      this.#inAllMs - this.#waitedMs(),
      this.#until - performance.now(),
    );
  }

  #chargedMs(): number {
    return Math.max(0, this.#waitedMs() - PROMPT_MS);
  }

  #waitedMs(): number {
    return this.#waits === 0 ? 0 : performance.now() - this.#since;
  }

  #failure(): Failure {
    const cause = new TimeOver(performance.now() >= this.#until);
    return this.#commits > 0 ? outcomeUnknown(cause) : new Failure("unavailable", { cause });
  }
}

/**
 * `unavailable` where the caller must look: the change was sent, and what became of it can't be
 * found out in time.
 */
export function outcomeUnknown(cause: unknown): Failure {
  return new Failure("unavailable", { message: UNKNOWN, cause });
}

const UNKNOWN = "The service cannot tell in time whether this was done. " +
  "Please look, or repeat it with its Idempotency-Key.";

class Late {}

function late(): Late {
  return new Late();
}
