/**
 * Time, chance and order, all out of one seed: this module's `install` takes the place of the
 * machine's clocks, timers and random numbers for the whole process. What waits for its turn gets
 * it in an order that the seed decides, one at a time, so that the same seed gives the same
 * history.
 */
import { Random } from "../../support/random.ts";

interface Timer {
  at: number;
  order: number;
  every: number | undefined;
  run(): void;
}

const real = { Date, setImmediate, now: performance.now.bind(performance) };
/** After so many real milliseconds in which nothing happens, nothing will. */
const PATIENCE_MS = 60_000;

/** The world's clocks and turns. */
export class Virtual {
  random = new Random(0);
  /** What the machine's clock shows, and how long the machine has run; both in milliseconds. */
  wall = 0;
  elapsed = 0;
  /** How many turns were given. */
  turns = 0;
  /** While true nobody waits for a turn and no timer ends: a process starts. */
  held = true;
  /** Called before each turn. */
  onTurn: () => void = () => {};
  #waiting: (() => void)[] = [];
  #timers = new Map<number, Timer>();
  #order = 0;

  /** Everything anew. */
  begin(seed: number, wall: number): void {
    this.random = new Random(seed);
    this.wall = wall;
    this.elapsed = 0;
    this.turns = 0;
    this.held = true;
    this.onTurn = () => {};
    this.#order = 0;
    this.forget();
  }

  /** Whoever waits for a turn, and every timer, belongs to a process that is gone. */
  forget(): void {
    this.#waiting = [];
    this.#timers.clear();
  }

  pass(ms: number): void {
    this.wall += ms;
    this.elapsed += ms;
  }

  /** Resolves when it is this one's turn. */
  async turn(): Promise<void> {
    if (this.held) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Gives turns until `work` is done. Throws where nothing can go on. */
  async until(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = () => void (isDone = true);
    work.then(done, done);
    for (let lastStep = real.now(); !isDone;) {
      await new Promise((resolve) => real.setImmediate(resolve));
      if (isDone || this.#step()) lastStep = real.now();
      else if (real.now() - lastStep > PATIENCE_MS) throw new Error("nobody can go on");
    }
    await work;
  }

  #step(): boolean {
    if (this.held) return false;
    this.onTurn();
    if (this.held) return true;
    const [id, timer] = this.#earliest();
    if (this.#waiting.length > 0 && (timer === undefined || timer.at > this.elapsed)) {
      this.turns++;
      this.pass(0.02 + this.random.next() * 0.2);
      const [next] = this.#waiting.splice(this.random.below(this.#waiting.length), 1);
      next?.();
      return true;
    }
    if (id === undefined || timer === undefined) return false;
    this.pass(Math.max(0, timer.at - this.elapsed));
    if (timer.every === undefined) this.#timers.delete(id);
    else timer.at = this.elapsed + Math.max(1, timer.every);
    timer.run();
    return true;
  }

  #earliest(): [number?, Timer?] {
    let found: [number?, Timer?] = [];
    for (const one of this.#timers) {
      const [, before] = found;
      if (before === undefined || one[1].at < before.at) found = one;
    }
    return found;
  }

  /** Numbers are what timers are known by, as the runtime's own functions of them expect. */
  set(run: () => void, ms: number, every: boolean): number {
    const order = ++this.#order;
    const delay = Math.max(0, Number(ms) || 0);
    const timer = { at: this.elapsed + delay, order, every: every ? delay : undefined, run };
    this.#timers.set(order, timer);
    return order;
  }

  clear(id: unknown): void {
    this.#timers.delete(Number(id));
  }
}

/** The one world of this process. */
export const virtual = new Virtual();

/** From here on there is no other time and no other chance in this process. */
export function install(): void {
  class VirtualDate extends real.Date {
    constructor(...given: unknown[]) {
      // as: the constructor's forms are many, and each is passed on.
      super(...(given.length === 0 ? [Math.floor(virtual.wall)] : given) as [number]);
    }
    static override now(): number {
      return Math.floor(virtual.wall);
    }
  }
  const timer = (
    run: (...args: unknown[]) => void,
    ms: number,
    every: boolean,
    args: unknown[],
  ) => {
    const id = virtual.set(() => run(...args), ms, every);
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => false,
      [Symbol.toPrimitive]: () => id,
    };
    return handle;
  };
  const fill = (bytes: Uint8Array) => {
    for (let i = 0; i < bytes.length; i++) bytes[i] = virtual.random.below(256);
    return bytes;
  };
  // Nothing takes as little time as none: a clock that stands still is no clock.
  const now = () => {
    virtual.pass(0.001);
    return virtual.elapsed;
  };
  Object.assign(globalThis, {
    Date: VirtualDate,
    setTimeout: (run: () => void, ms: number, ...args: unknown[]) => timer(run, ms, false, args),
    setInterval: (run: () => void, ms: number, ...args: unknown[]) => timer(run, ms, true, args),
    clearTimeout: (id: unknown) => virtual.clear(id),
    clearInterval: (id: unknown) => virtual.clear(id),
  });
  Math.random = () => virtual.random.next();
  Object.defineProperty(performance, "now", { value: now });
  Object.defineProperty(crypto, "getRandomValues", { value: fill });
  Object.defineProperty(crypto, "randomUUID", {
    value: () => {
      const hex = [...fill(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"));
      return hex.join("").replace(/^(.{8})(.{4}).(.{3})(.{4})(.{12})$/, "$1-$2-4$3-8$4").slice(
        0,
        36,
      );
    },
  });
}
