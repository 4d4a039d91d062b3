import { setImmediate } from "node:timers";

/**
 * For how long work that never waits for anything outside goes on before everybody else has a turn,
 * in milliseconds.
 */
const SLICE_MS = 4;
/**
 * For how long such work goes on, slice after slice, before the system is asked what has come, in
 * milliseconds. The timer that it takes costs a millisecond and more in which nothing runs: many
 * who ask for one piece each are done before.
 */
const UNASKED_MS = 16;

/** The sources of turns; a test has its own. */
interface TurnsOptions {
  readonly sliceMs?: number;
  readonly unaskedMs?: number;
  /** Milliseconds of a clock that no one sets. */
  readonly elapsed?: () => number;
  /** Calls back once everything that is due now has run. */
  readonly afterThese?: (callback: () => void) => void;
  /** Calls back once the system was asked what has come: only a timer lets the runtime ask. */
  readonly afterOthers?: (callback: () => void) => void;
}

/**
 * Turns at the thread. A promise that is fulfilled at once, as with SQLite, is awaited without
 * leaving the queue of microtasks: however many such reads follow each other, no other work gets
 * its turn before the end. A caller who asks for the next piece waits here once all together have
 * used up a slice since the thread was last free. Those who wait are let on in their order, as many
 * as have room in a slice. Between two slices anyone who is due has a turn, and after some of them
 * what has come meanwhile.
 */
export class Turns {
  readonly #sliceMs: number;
  readonly #unaskedMs: number;
  readonly #elapsed: () => number;
  readonly #afterThese: (callback: () => void) => void;
  readonly #afterOthers: (callback: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  /** When the present slice began; undefined: the thread is free. */
  #began: number | undefined;
  /** When the thread was last free, or the system was last asked. */
  #asked = 0;

  constructor(
    {
      sliceMs = SLICE_MS,
      unaskedMs = UNASKED_MS,
      elapsed = () => performance.now(),
      afterThese = setImmediate,
      afterOthers = (callback) => void setTimeout(callback, 0),
    }: TurnsOptions = {},
  ) {
    this.#sliceMs = sliceMs;
    this.#unaskedMs = unaskedMs;
    this.#elapsed = elapsed;
    this.#afterThese = afterThese;
    this.#afterOthers = afterOthers;
  }

  /** Undefined where the caller may go on at once; else what resolves when it may. */
  next(): Promise<void> | undefined {
    if (this.#began === undefined) {
      this.#begin();
      return undefined;
    }
    if (!this.#isUsedUp()) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #isUsedUp(): boolean {
    return this.#began !== undefined && this.#elapsed() - this.#began >= this.#sliceMs;
  }

  #begin(): void {
    this.#began = this.#asked = this.#elapsed();
    this.#afterThese(() => this.#goOn());
  }

  /** The task that was let on has run as far as it could. */
  #goOn(): void {
    if (this.#waiting.length === 0) {
      this.#began = undefined;
    } else if (this.#elapsed() - this.#asked < this.#unaskedMs) {
      this.#letOn();
    } else {
      this.#afterOthers(() => {
        this.#asked = this.#elapsed();
        this.#letOn();
      });
    }
  }

  #letOn(): void {
    if (this.#isUsedUp()) this.#began = this.#elapsed();
    this.#letOnWithinSlice();
  }

  /** Lets on one after the other: each has asked for its piece before the next one is let on. */
  #letOnWithinSlice(): void {
    this.#waiting.shift()?.();
    queueMicrotask(() => {
      if (this.#waiting.length > 0 && !this.#isUsedUp()) this.#letOnWithinSlice();
      else this.#afterThese(() => this.#goOn());
    });
  }
}

/** The shortest and the longest rest between two pieces, in milliseconds. */
const [SHORTEST_REST_MS, LONGEST_REST_MS] = [1, 5];
/**
 * A piece that is not there after so many milliseconds waits for something, and holds no one up.
 */
const PATIENCE_MS = 50;

/** The timers of rests; a test has its own. */
interface RestsOptions {
  /** Calls back after so many milliseconds, unless it is called off. */
  readonly after?: (callback: () => void, ms: number) => () => void;
  /** Milliseconds of a clock that no one sets. */
  readonly elapsed?: () => number;
}

/**
 * Rests between the pieces of long answers: one piece is made at a time, whoever asks for it, and
 * then as long as that took, a millisecond at least, calls have the thread that came meanwhile.
 */
export class Rests {
  readonly #after: (callback: () => void, ms: number) => () => void;
  readonly #elapsed: () => number;
  readonly #waiting: ((turn: Turn) => void)[] = [];
  /** The piece that is being made. */
  #turn: Turn | undefined;
  #restsUntil = -Infinity;
  #callOff: (() => void) | undefined;

  constructor({ after = afterMs, elapsed = () => performance.now() }: RestsOptions = {}) {
    this.#after = after;
    this.#elapsed = elapsed;
  }

  /**
   * The result of `make`, made when its turn has come: waiting tasks are let on in their order.
   */
  async piece<T>(make: () => Promise<T>): Promise<T> {
    const isFree = this.#waiting.length === 0 && this.#opensInMs() <= 0;
    const turn = isFree ? this.#begin() : await new Promise<Turn>((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
    try {
      return await make();
    } finally {
      this.#end(turn);
    }
  }

  #begin(): Turn {
    return this.#turn = { began: this.#elapsed() };
  }

  #end(turn: Turn): void {
    // Another one was let on meanwhile.
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    const now = this.#elapsed();
    const tookMs = now - turn.began;
    this.#restsUntil = now + Math.max(SHORTEST_REST_MS, Math.min(tookMs, LONGEST_REST_MS));
    this.#schedule();
  }

  #opensInMs(): number {
    const at = this.#turn ? this.#turn.began + PATIENCE_MS : this.#restsUntil;
    return at - this.#elapsed();
  }

  #schedule(): void {
    this.#callOff?.();
    this.#callOff = this.#waiting.length === 0
      ? undefined
      : this.#after(() => this.#letOn(), Math.max(0, this.#opensInMs()));
  }

  #letOn(): void {
    this.#waiting.shift()?.(this.#begin());
    this.#schedule();
  }
}

/** The making of a piece, and when it began. */
interface Turn {
  readonly began: number;
}

function afterMs(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
