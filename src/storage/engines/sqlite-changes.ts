import type { Mark } from "../../kernel/read-cache.ts";
import type { Changes } from "../storage.ts";
import { EVERYTHING, type Part } from "../touched-rows.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** For how long a commit of another process may go unnoticed. */
export const UNNOTICED_MS = 5;
/** From this age on, what is known of other processes is asked for anew. */
const ASKED_AFTER_MS = 2;
/** So many changed parts are known; what was read before the oldest of them counts as changed. */
const KNOWN_PARTS = 4096;

/**
 * Tracks the changes by commits. The parts of a commit of this process are noted before it is
 * acknowledged. Of another process only the fact is known: then everything counts as changed.
 *
 * The reading connection can tell at once that there was no commit at all. If there was one, only
 * the writing connection can tell whether it was its own. It is asked, and until it answers, an
 * answer known to be current more than 5 ms ago is current only if it was read since the last
 * commit of any process.
 */
export class SqliteChanges implements Changes {
  readonly #reading: Pick<SqliteConnection, "dataVersion">;
  readonly #othersWrote: () => Promise<boolean>;
  readonly #elapsed: () => number;
  /** Counts the changes that are known. */
  #changes = 0;
  /** Answers that were read at an earlier mark may have changed in any part. */
  #oldest = 0;
  /** Of each part the last change, the oldest first. */
  readonly #parts = new Map<Part, number>();
  /** Every commit of others before this moment is known. */
  #knownAt = -Infinity;
  /** The reading connection's version at that moment. */
  #known: number | undefined;
  /** Its version when it was asked last, and when that was. */
  #version = NaN;
  #askedAt = -Infinity;
  #isAsking = false;

  /**
   * `othersWrote`: whether another connection than the writing one has committed since it was last
   * asked. `elapsed` counts milliseconds and never goes back.
   */
  constructor(
    reading: Pick<SqliteConnection, "dataVersion">,
    othersWrote: () => Promise<boolean>,
    elapsed = () => performance.now(),
  ) {
    this.#reading = reading;
    this.#othersWrote = othersWrote;
    this.#elapsed = elapsed;
  }

  /** Throws what the reading connection throws where the file can't be read; so does `holds`. */
  mark(): Mark {
    this.#look(this.#elapsed());
    return { changes: this.#changes, version: this.#version };
  }

  holds(mark: Mark, parts: readonly Part[]): boolean {
    if (mark.changes < this.#oldest) return false;
    for (const part of parts) {
      if ((this.#parts.get(part) ?? 0) > mark.changes) return false;
    }
    const now = this.#elapsed();
    if (now - this.#knownAt < ASKED_AFTER_MS) return true;
    this.#look(now);
    // No one at all has committed since, so no one need be asked.
    return mark.version === this.#version || this.#isKnown(now);
  }

  /** A commit of this process, perhaps one whose answer was lost, may have changed these parts. */
  changed(parts: readonly Part[]): void {
    this.#askedAt = -Infinity;
    if (parts.length === 0) return;
    const now = ++this.#changes;
    for (const part of parts) {
      if (part === EVERYTHING) return this.#forget(now);
      this.#parts.delete(part);
      this.#parts.set(part, now);
    }
    for (const [part, at] of this.#parts) {
      if (this.#parts.size <= KNOWN_PARTS) break;
      this.#parts.delete(part);
      this.#oldest = at;
    }
  }

  #forget(now: number): void {
    this.#parts.clear();
    this.#oldest = now;
  }

  /**
   * Whether all that others committed until 5 ms ago is known. The version has just been looked at.
   */
  #isKnown(now: number): boolean {
    if (this.#version === this.#known) this.#knownAt = this.#askedAt;
    else if (!this.#isAsking) this.#ask(this.#version, this.#askedAt);
    return now - this.#knownAt < UNNOTICED_MS;
  }

  /**
   * The version as of at most a moment ago, and not from before a commit of this process that is
   * known.
   */
  #look(now: number): void {
    if (now - this.#askedAt < ASKED_AFTER_MS) return;
    this.#version = this.#reading.dataVersion();
    this.#askedAt = now;
  }

  /**
   * The version was read at `at`, and the writing connection is asked after it: what it says holds
   * for both.
   */
  #ask(version: number, at: number): void {
    this.#isAsking = true;
    this.#othersWrote().then((wrote) => {
      if (wrote) this.changed([EVERYTHING]);
      this.#known = version;
      this.#knownAt = at;
    }, () => {
      // An unavailable connection says nothing.
    }).finally(() => this.#isAsking = false);
  }
}
