import type { Deadlines, Timed } from "./deadlines.ts";

/** A connection, as far as it holds a place. */
export interface Placed {
  /** What it is counted by; undefined: by nothing, it comes from a proxy that is trusted. */
  readonly from: string | undefined;
  /** Ends it at once. */
  close(): void;
}

/** From this part of all places on, no address takes more than its share. */
const NEAR = 3 / 4;
const SHARE = 1 / 8;
const LEAST_SHARE = 8;
/** Who takes nothing of an answer for so long may be closed for somebody else, in milliseconds. */
const STALLED_MS = 5000;

/**
 * Who may connect: so many at once, whatever else happens. Where places get few, an address that
 * holds its share gets a new one for the oldest that is silent among its own. Where there are none,
 * the connection goes that is silent for longest, whosever it is; where none is, the new one is
 * refused.
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

  /** Whoever leaves anyway, then who has said nothing whole yet, then who was served before. */
  #silentest(): T | undefined {
    for (const [awaited, ms] of SILENT) {
      const one = this.#deadlines.longest(awaited, ms);
      if (one) return one;
    }
    return undefined;
  }
}

/**
 * What a connection may be closed for that waits for it so long, in milliseconds; the first to go
 * first.
 */
const SILENT = [["leaving", 0], ["head", 0], ["request", 0], ["taking", STALLED_MS]] as const;

function closed(one: Placed | undefined): boolean {
  one?.close();
  return one !== undefined;
}
