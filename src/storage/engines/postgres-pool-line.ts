import type pg from "pg";

/** So many connections are opened at once. */
const MOST_OPENING = 4;

/** Thrown when no one gave a connection back in time. */
export class LineTooLong extends Error {
  constructor() {
    super("no connection came free in time");
  }
}

interface Caller {
  resolve(client: pg.PoolClient): void;
  reject(error: unknown): void;
  timer?: ReturnType<typeof setTimeout>;
}

/**
 * The line before a pool. The pool by itself opens a connection for each caller that finds none
 * free, and a slow server lets none of so many in within their limit. Here a few are opened at a
 * time, and the first in the line takes whatever comes free.
 */
export class PoolLine {
  readonly #pool: pg.Pool;
  readonly #max: number;
  readonly #patienceMs: number;
  readonly #line: Caller[] = [];
  /** Callers whom the pool serves; it forgets them when it ends. */
  readonly #served = new Set<Caller>();
  #opening = 0;

  constructor(pool: pg.Pool, limits: { pool: number; patienceMs: number }) {
    this.#pool = pool;
    this.#max = limits.pool;
    this.#patienceMs = limits.patienceMs;
    pool.on("remove", () => this.next());
  }

  /** Callers who wait. */
  get length(): number {
    return this.#line.length;
  }

  /** A connection. Throws LineTooLong, what the driver throws, or what `refuse` is given. */
  connect(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      const caller: Caller = { resolve, reject };
      if (this.#line.length === 0 && this.#hasRoom()) return this.#serve(caller);
      caller.timer = setTimeout(() => {
        this.#line.splice(this.#line.indexOf(caller), 1);
        reject(new LineTooLong());
      }, this.#patienceMs);
      this.#line.push(caller);
    });
  }

  /** To be called after a connection was given back. */
  next(): void {
    while (this.#line.length > 0 && this.#hasRoom()) {
      const caller = this.#line.shift();
      if (caller) this.#serve(caller);
    }
  }

  /** Rejects all waiting callers with this error. */
  refuse(error: Error): void {
    for (const caller of [...this.#line.splice(0), ...this.#served]) {
      clearTimeout(caller.timer);
      caller.reject(error);
    }
    this.#served.clear();
  }

  #hasRoom(): boolean {
    return this.#hasFree() ||
      (this.#opening < MOST_OPENING && this.#pool.totalCount < this.#max);
  }

  /** The pool hands out a free connection a moment after it was asked. */
  #hasFree(): boolean {
    return this.#pool.idleCount > this.#pool.waitingCount;
  }

  #serve(caller: Caller): void {
    clearTimeout(caller.timer);
    this.#served.add(caller);
    const opened = this.#hasFree() ? 0 : 1;
    this.#opening += opened;
    this.#pool.connect().then((client) => {
      this.#opening -= opened;
      if (this.#served.delete(caller)) caller.resolve(client);
      else client.release(true);
      this.next();
    }, (error) => {
      this.#opening -= opened;
      this.#served.delete(caller);
      caller.reject(error);
      this.next();
    });
  }
}
