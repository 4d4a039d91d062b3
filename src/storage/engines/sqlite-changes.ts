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
 * What commits have changed. Of a commit of this process its parts are told before it is acknowledged. Of another
 * process's only that there was one: then everything counts as changed.
 *
 * That nobody at all has committed is what the reading connection can tell, at once. Where somebody has, only the
 * writing connection can tell whether it was anybody but itself; it is asked, and until it answers nothing holds that
 * was last known to hold more than 5 ms ago.
 */
export class SqliteChanges implements Changes {
  readonly #reading: Pick<SqliteConnection, "dataVersion">;
  readonly #othersWrote: () => Promise<boolean>;
  readonly #elapsed: () => number;
  /** Counts what was told. */
  #told = 0;
  /** What was read at an earlier mark may have changed in any part. */
  #oldest = 0;
  /** Of each part the last change, the oldest first. */
  readonly #parts = new Map<Part, number>();
  /** Every commit of others before this moment has been told of. */
  #knownAt = -Infinity;
  /** The reading connection's version at that moment or before. */
  #version: number | undefined;
  #isAsking = false;

  /**
   * `othersWrote`: whether another connection than the writing one has committed since it was last asked. `elapsed`
   * counts milliseconds and never goes back.
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

  mark(): number {
    return this.#told;
  }

  /** Throws what the reading connection throws where the file can't be read. */
  holds(mark: number, parts: readonly Part[]): boolean {
    if (mark < this.#oldest) return false;
    for (const part of parts) {
      if ((this.#parts.get(part) ?? 0) > mark) return false;
    }
    return this.#isKnown();
  }

  /** A commit of this process, perhaps one whose answer was lost, may have changed these parts. */
  tell(parts: readonly Part[]): void {
    if (parts.length === 0) return;
    const now = ++this.#told;
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

  /** Whether all that others committed until 5 ms ago has been told of. */
  #isKnown(): boolean {
    const now = this.#elapsed();
    const age = now - this.#knownAt;
    if (age >= ASKED_AFTER_MS && !this.#isAsking) {
      const version = this.#reading.dataVersion();
      if (version === this.#version) {
        this.#knownAt = now;
        return true;
      }
      this.#ask(version, now);
    }
    return age < UNNOTICED_MS;
  }

  /** The version was read before `now`, and the writing connection is asked after it: what it says holds for both. */
  #ask(version: number, now: number): void {
    this.#isAsking = true;
    this.#othersWrote().then((wrote) => {
      if (wrote) this.tell([EVERYTHING]);
      this.#version = version;
      this.#knownAt = now;
    }, () => {
      // Who can't be asked has told nothing: what is kept is not used.
    }).finally(() => this.#isAsking = false);
  }
}
