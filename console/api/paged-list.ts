import { signal } from "../signal.ts";
import { onReachable } from "./connection.ts";

/** One page as the server gives it. */
export interface Answer<Row> {
  data: readonly Row[];
  next_cursor: string | null;
}

interface Page<Row> {
  /** The cursor to read it with; undefined: the first page. */
  readonly cursor: string | undefined;
  /** Undefined: known, but forgotten to keep memory flat. Read again when it comes near. */
  rows: readonly Row[] | undefined;
  /** How many rows it takes in the list. */
  size: number;
  loading: boolean;
  /** Read before the list was left: shown, and read again when it comes near. */
  isOld: boolean;
}

/** Pages that are kept with their rows: 2,000 rows and more. */
const KEPT_PAGES = 40;
/** Rows beyond the visible ones that are read ahead, once the user works in the list. */
const AHEAD = 75;

/**
 * A list that goes by cursor and grows as one scrolls. However far one has come, the rows of some
 * forty pages are in memory; older ones are read again by their cursor, which is a place, so rows
 * that came meanwhile move nothing.
 */
export class PagedList<Row> {
  /** Counts up with each change: who shows the list reads it, and so is shown anew. */
  readonly version = signal(0);
  /** Why the newest read failed; undefined: it did not. */
  error: unknown;
  /** True once the server said that there are no more. */
  atEnd = false;
  /** How far it is scrolled, in pixels: who shows the list keeps it here. */
  top = 0;
  readonly #read: (cursor: string | undefined, signal: AbortSignal) => Promise<Answer<Row>>;
  #pages: Page<Row>[] = [];
  #isUsed = false;
  /** The rows that are seen. */
  #seen: readonly [first: number, last: number] = [0, 0];
  #abort = new AbortController();
  #ended: (() => void) | undefined;

  constructor(
    readonly keyOf: (row: Row) => string,
    read: (cursor: string | undefined, signal: AbortSignal) => Promise<Answer<Row>>,
  ) {
    this.#read = read;
  }

  /**
   * Reads the first page, or the visible rows again. Call `close` when the list is not shown any
   * more.
   */
  open(): void {
    this.#ended = onReachable(() => this.retry());
    for (const page of this.#pages) Object.assign(page, { isOld: true, loading: false });
    if (this.#pages.length === 0) this.#extend(undefined);
    else this.#changed();
  }

  /** Stops reading. */
  close(): void {
    this.#ended?.();
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  /** Rows known so far. */
  get length(): number {
    let sum = 0;
    for (const page of this.#pages) sum += page.size;
    return sum;
  }

  /**
   * The key of the only row there is; undefined: there are others, or none, or not all is known.
   */
  get only(): string | undefined {
    const row = this.atEnd && this.length === 1 ? this.at(0) : undefined;
    return row && this.keyOf(row);
  }

  /** True before anything is known. */
  get isFirst(): boolean {
    return this.#pages.every((page) => page.rows === undefined && page.size === 0) && !this.atEnd;
  }

  /** True while the end of the list is being read. */
  get isReading(): boolean {
    return this.#pages.some((page) => page.loading);
  }

  /** The row of a place; undefined where it is not in memory. */
  at(index: number): Row | undefined {
    for (const page of this.#pages) {
      if (index < page.size) return page.rows?.[index];
      index -= page.size;
    }
    return undefined;
  }

  /** The place of a row among those in memory; -1: not there. */
  indexOf(key: string): number {
    let start = 0;
    for (const page of this.#pages) {
      const index = page.rows?.findIndex((row) => this.keyOf(row) === key) ?? -1;
      if (index >= 0) return start + index;
      start += page.size;
    }
    return -1;
  }

  /**
   * The user points at the list or presses a key: from now on it reads ahead. Most users who open a
   * screen look at the first rows only.
   */
  use(): void {
    if (this.#isUsed) return;
    this.#isUsed = true;
    this.need(...this.#seen);
  }

  /**
   * Rows `first` to `last` are seen: reads what is absent there, and ahead of it where the list is
   * used.
   */
  need(first: number, last: number): void {
    this.#seen = [first, last];
    // Without it the one row after the last: whether there is one is seen.
    const ahead = this.#isUsed || first > 0 || this.top > 0 ? AHEAD : 1;
    let start = 0;
    const near: number[] = [];
    this.#pages.forEach((page, index) => {
      const isNear = start + page.size > first - ahead && start < last + ahead;
      if (isNear) near.push(index);
      const isWanted = page.isOld || page.rows === undefined && page.size > 0;
      if (isNear && isWanted && !page.loading) void this.#fill(page);
      start += page.size;
    });
    if (last + ahead >= start) this.#more();
    this.#forget(near);
  }

  /** Reads what is seen again, and puts rows in the place of those they were: nothing moves. */
  async freshen(): Promise<void> {
    const [first, last] = this.#seen;
    let end = 0;
    for (const { cursor, rows, size } of [...this.#pages]) {
      end += size;
      if (!rows || end <= first || end - size > last) continue;
      const { data } = await this.#read(cursor, this.#abort.signal);
      data.forEach((row) => this.replace(row));
    }
  }

  /** After a failure: reads on. */
  retry(): void {
    if (this.error === undefined) return;
    this.error = undefined;
    const failed = this.#pages.filter((page) => page.rows === undefined && page.size === 0);
    for (const page of failed) void this.#fill(page);
    if (failed.length === 0) this.#more();
    this.#changed();
  }

  /** Takes rows out, such as those that were decided. */
  remove(...keys: string[]): void {
    const gone = new Set(keys);
    this.#each((rows) => rows.filter((row) => !gone.has(this.keyOf(row))));
  }

  /** Puts a row that was taken out back to its place; nothing where it stands already. */
  putBack(row: Row, index: number): void {
    if (this.indexOf(this.keyOf(row)) >= 0) return;
    let start = 0;
    for (const page of this.#pages) {
      if (page.rows !== undefined && index <= start + page.size) {
        page.rows = page.rows.toSpliced(index - start, 0, row);
        page.size = page.rows.length;
        break;
      }
      start += page.size;
    }
    this.#changed();
  }

  /** Puts another row in the place of the one with the same key; nothing where there is none. */
  replace(row: Row): void {
    const key = this.keyOf(row);
    this.#each((rows) => rows.map((one) => this.keyOf(one) === key ? row : one));
  }

  #each(change: (rows: readonly Row[]) => readonly Row[]): void {
    for (const page of this.#pages) {
      if (page.rows === undefined) continue;
      page.rows = change(page.rows);
      page.size = page.rows.length;
    }
    this.#changed();
  }

  #next: string | undefined;

  #more(): void {
    const last = this.#pages.at(-1);
    if (this.atEnd || this.error !== undefined || last === undefined || last.loading) return;
    if (last.rows === undefined && last.size === 0) return;
    this.#extend(this.#next);
  }

  #extend(cursor: string | undefined): void {
    const page: Page<Row> = { cursor, rows: undefined, size: 0, loading: false, isOld: false };
    this.#pages.push(page);
    void this.#fill(page);
  }

  async #fill(page: Page<Row>): Promise<void> {
    const { signal } = this.#abort;
    Object.assign(page, { loading: true, isOld: false });
    this.#changed();
    try {
      const { data, next_cursor } = await this.#read(page.cursor, signal);
      if (signal.aborted) return;
      page.rows = data;
      page.size = data.length;
      if (page === this.#pages.at(-1)) {
        this.atEnd = next_cursor === null;
        this.#next = next_cursor ?? undefined;
      }
    } catch (error) {
      if (signal.aborted) return;
      this.error = error;
    } finally {
      if (!signal.aborted) page.loading = false;
    }
    // A page may hold few rows, or none, and still have a next one.
    if (page === this.#pages.at(-1) && page.size < AHEAD / 3) this.#more();
    this.#changed();
  }

  /** Forgets the rows of pages that are far away. */
  #forget(near: readonly number[]): void {
    const full = this.#pages.filter((page) => page.rows !== undefined && page.size > 0).length;
    if (full <= KEPT_PAGES) return;
    const middle = near[Math.floor(near.length / 2)] ?? 0;
    this.#pages.forEach((page, index) => {
      if (Math.abs(index - middle) > KEPT_PAGES / 2 && page.size > 0) page.rows = undefined;
    });
  }

  #changed(): void {
    this.version.value++;
  }
}
