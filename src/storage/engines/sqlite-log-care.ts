import { isBusy } from "./sqlite-connection.ts";
import { sqliteCodeOf } from "./sqlite-errors.ts";

/** When the log is looked at. */
export interface LogLimits {
  /** A log of this size should have been taken over: SQLite begins to at half of it. */
  readonly bytes: number;
  /** How often it is looked at, in milliseconds, beside what is written. */
  readonly everyMs: number;
  /**
   * For so long a person may read an old state, such as for a copy, before that is worth a word.
   */
  readonly readMs: number;
}

const LIMITS: LogLimits = { bytes: 128 * 1024 * 1024, everyMs: 5000, readMs: 60_000 };

/** The parts of a log that its care needs: its size, and an attempt to have it taken over. */
interface CaredLog {
  /** Undefined where that can't be found out now. */
  bytes(): number | undefined;
  /**
   * True: the database has all of it, and it is empty. False: a person still reads an old state.
   */
  takeOver(): boolean;
}

/**
 * Sees to it that the database takes over what is in its log. SQLite does that behind a commit, and
 * says nothing where it fails: the log grows, reading becomes slower, and the disk fills.
 */
export class SqliteLogCare {
  #lookedAt = -Infinity;
  /** Since when a person reads an old state. */
  #readSince: number | undefined;
  #failing: string | undefined;

  /** `elapsed` counts milliseconds and never goes back. */
  constructor(
    private readonly log: CaredLog,
    private readonly limits: LogLimits = LIMITS,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  /**
   * Why the database does not take over its log, as of the last look: SQLite's code, or a sentence;
   * undefined where it does. To be called outside of any transaction.
   */
  look(): string | undefined {
    const now = this.elapsed();
    if (now - this.#lookedAt < this.limits.everyMs) return this.#failing;
    this.#lookedAt = now;
    this.#failing = this.#lookAt(now);
    return this.#failing;
  }

  #lookAt(now: number): string | undefined {
    try {
      if ((this.log.bytes() ?? 0) <= this.limits.bytes || this.log.takeOver()) {
        this.#readSince = undefined;
        return undefined;
      }
    } catch (error) {
      if (!isBusy(error)) return sqliteCodeOf(error) ?? "unknown";
    }
    this.#readSince ??= now;
    return now - this.#readSince < this.limits.readMs ? undefined : READ;
  }
}

const READ = "something reads an old state of the store and holds the log back";
