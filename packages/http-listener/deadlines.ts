/** How often it is looked whose time is over. */
const TICK_MS = 250;

/** The reasons to wait for a connection. */
export type Awaited = "head" | "request" | "taking" | "leaving";

const ALL = ["head", "request", "taking", "leaving"] as const satisfies readonly Awaited[];

/** Whatever has a time by which it must go on. */
export interface Timed<Self> {
  readonly waits: Waits<Self>;
  /** It did not. */
  expire(awaited: Awaited): void;
}

/** One entry's position in each queue of waits. */
type Waits<T> = Readonly<Record<Awaited, Wait<T>>>;

/** One's own, which are all over yet. */
export function waitsOf<T>(one: T | undefined): Waits<T> {
  return {
    head: new Wait(one),
    request: new Wait(one),
    taking: new Wait(one),
    leaving: new Wait(one),
  };
}

/**
 * One that is waited for, as a link of a queue, or of nothing once that is over. Each connection
 * begins and ends several for each call: links cost nothing then, where a map is made anew again
 * and again, and what it was made of before outlives the young generation.
 */
class Wait<T> {
  since = 0;
  #before: Wait<T> = this;
  #behind: Wait<T> = this;

  constructor(readonly one: T | undefined) {}

  get isOver(): boolean {
    return this.#behind === this;
  }

  get behind(): Wait<T> {
    return this.#behind;
  }

  /** Comes last, from now on. `end`: the link between the last and the first of a queue. */
  join(end: Wait<T>, now: number): void {
    this.leave();
    this.since = now;
    this.#before = end.#before;
    this.#behind = end;
    end.#before.#behind = this;
    end.#before = this;
  }

  leave(): void {
    this.#before.#behind = this.#behind;
    this.#behind.#before = this.#before;
    this.#before = this;
    this.#behind = this;
  }
}

/**
 * The deadlines of all connections. Waits of one kind have equal times, so the queue of each is in
 * the order of its deadlines: adding and removing cost nothing, and a tick looks at no more than
 * has expired.
 */
export class Deadlines<T extends Timed<T>> {
  readonly #ticks: Readonly<Record<Awaited, number>>;
  /** The link between the last and the first of each queue. */
  readonly #ends: Waits<T> = waitsOf<T>(undefined);
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
    one.waits[awaited].join(this.#ends[awaited], this.#now);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
  }

  end(one: T, awaited: Awaited): void {
    one.waits[awaited].leave();
  }

  /** The one that has waited for this the longest, and at least so long; undefined: none. */
  longest(awaited: Awaited, atLeastMs = 0): T | undefined {
    const { one, since } = this.#ends[awaited].behind;
    return (this.#now - since) * TICK_MS >= atLeastMs ? one : undefined;
  }

  /** Whether this one has waited for it at least so long. */
  hasWaited(one: T, awaited: Awaited, atLeastMs: number): boolean {
    const { isOver, since } = one.waits[awaited];
    return !isOver && (this.#now - since) * TICK_MS >= atLeastMs;
  }

  /** Nothing expires any more. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    for (const awaited of ALL) {
      const end = this.#ends[awaited];
      while (!end.isOver) end.behind.leave();
    }
  }

  #tick(): void {
    this.#now++;
    for (const awaited of ALL) {
      const end = this.#ends[awaited];
      while (!end.isOver && this.#now - end.behind.since >= this.#ticks[awaited]) {
        const { behind } = end;
        behind.leave();
        behind.one?.expire(awaited);
      }
    }
    if (ALL.some((awaited) => !this.#ends[awaited].isOver)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
