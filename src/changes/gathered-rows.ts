/** Rows that are written in one go, and how long the first of them waits. */
const TOGETHER = 100;
const WAIT_MS = 5000;
/** Beyond this, a store that takes nothing is given up on. */
const MOST_WAITING = 50_000;

/**
 * Gathers rows that may get lost, such as when something was last used, and writes them in batches.
 * They are written in the order of their keys, so that two nodes can't deadlock.
 */
export class GatheredRows<Row> {
  readonly #write: (rows: Row[]) => Promise<unknown>;
  readonly #keyOf: (row: Row) => string;
  #waiting: Row[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(write: (rows: Row[]) => Promise<unknown>, keyOf: (row: Row) => string) {
    this.#write = write;
    this.#keyOf = keyOf;
  }

  add(row: Row): void {
    if (this.#waiting.length < MOST_WAITING) this.#waiting.push(row);
    if (this.#waiting.length >= TOGETHER) void this.flush();
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => void this.flush(), WAIT_MS);
      this.#timer.unref();
    }
  }

  /** Writes what waits. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0) {
      const rows = this.#waiting.splice(0, TOGETHER)
        .sort((a, b) => this.#keyOf(a) < this.#keyOf(b) ? -1 : 1);
      try {
        await this.#write(rows);
      } catch {
        return;
      }
    }
  }
}
