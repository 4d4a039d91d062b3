import type { Deadlines, Timed } from "./deadlines.ts";

/** A connection, as far as it holds a place. */
export interface Placed {
  /** The group it is counted by; undefined: none, because it comes from a trusted proxy. */
  readonly from: string | undefined;
  /** Ends it at once. */
  close(): void;
}

/** From this part of all places on, no address takes more than its share. */
const NEAR = 3 / 4;
const SHARE = 1 / 8;
const LEAST_SHARE = 8;
/**
 * A connection that takes nothing of an answer for so long may be closed in favour of another, in
 * milliseconds.
 */
const STALLED_MS = 5000;

/**
 * Limits the number of connections. When places get few, an address that has its share loses its
 * oldest silent connection for a new one. When there are none left, the longest silent connection
 * of any address is closed; if none is silent, the new one is refused.
 */
export class Places<T extends Placed & Timed<T>> {
  readonly most: number;
  readonly #share: number;
  readonly #deadlines: Deadlines<T>;
  readonly #all = new Set<T>();
  readonly #byAddress = new Map<string, Set<T>>();

  constructor(most: number, deadlines: Deadlines<T>) {
    this.most = most;
    this.#share = Math.max(LEAST_SHARE, Math.floor(most * SHARE));
    this.#deadlines = deadlines;
  }

  get all(): ReadonlySet<T> {
    return this.#all;
  }

  /** Makes room for one more from there. False where there is none. */
  makeRoom(from: string | undefined): boolean {
    const own = from === undefined ? undefined : this.#byAddress.get(from);
    const isNear = this.#all.size >= this.most * NEAR;
    if (isNear && own && own.size >= this.#share) return closed(this.#silentOf(own));
    return this.#all.size < this.most || closed(this.#silentest());
  }

  enter(one: T): void {
    this.#all.add(one);
    if (one.from === undefined) return;
    const own = this.#byAddress.get(one.from);
    if (own) own.add(one);
    else this.#byAddress.set(one.from, new Set([one]));
  }

  leave(one: T): void {
    this.#all.delete(one);
    if (one.from === undefined) return;
    const own = this.#byAddress.get(one.from);
    own?.delete(one);
    if (own?.size === 0) this.#byAddress.delete(one.from);
  }

  /** The oldest of them that waits for its client. */
  #silentOf(own: ReadonlySet<T>): T | undefined {
    for (const one of own) {
      if (SILENT.some(([awaited, ms]) => this.#deadlines.hasWaited(one, awaited, ms))) return one;
    }
    return undefined;
  }

  /**
   * The order: connections that are leaving, then those without a whole request yet, then those
   * served before.
   */
  #silentest(): T | undefined {
    for (const [awaited, ms] of SILENT) {
      const one = this.#deadlines.longest(awaited, ms);
      if (one) return one;
    }
    return undefined;
  }
}

/**
 * The waits for which a connection may be closed, and after how many milliseconds; the first is
 * closed first.
 */
const SILENT = [["leaving", 0], ["head", 0], ["request", 0], ["taking", STALLED_MS]] as const;

function closed(one: Placed | undefined): boolean {
  one?.close();
  return one !== undefined;
}
