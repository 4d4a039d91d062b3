import { realPlaceOf } from "./sqlite-files.ts";

/**
 * The size of the reserve beside a store: room for a full log, and for the part of it that the
 * database takes.
 */
export const RESERVE_BYTES = 16 * 1024 * 1024;
/**
 * The free space needed besides to make the reserve again: else the next changes take it at once.
 */
const SLACK_BYTES = 4 * 1024 * 1024;
/** The rest of a used reserve, for a start: SQLite's shared memory takes 32 KiB. */
const LAST_BYTES = 256 * 1024;
/** How much is given up at once, and written at once. */
export const PIECE_BYTES = 1024 * 1024;

/**
 * Room on the disk of an SQLite store that nothing uses while there is other: a file beside the
 * database. If the disk is full, it is given up to writes that must not wait; that the file is
 * short then tells every process, and the next start.
 *
 * It is given up piece by piece, each when what must not wait found no room: what fills the disk
 * goes on filling it, and takes whatever is free.
 */
export class SqliteReserve {
  readonly #path: string;

  /** That of the store at `path`, whose database is there. */
  constructor(path: string) {
    this.#path = `${realPlaceOf(path) ?? path}-reserve`;
  }

  /** `absent` is one that was never made. */
  state(): "whole" | "given up" | "absent" {
    const size = this.#size();
    if (size === undefined) return "absent";
    return size < RESERVE_BYTES ? "given up" : "whole";
  }

  /**
   * Makes it whole, where there is room for it and some more. False, and as much kept as before,
   * where not.
   */
  make(): boolean {
    const before = this.#size();
    if (before !== undefined && before >= RESERVE_BYTES) return true;
    try {
      this.#fill(before ?? 0, RESERVE_BYTES + SLACK_BYTES);
      Deno.truncateSync(this.#path, RESERVE_BYTES);
      return true;
    } catch {
      // Whatever forbids it, the store is served without.
      this.#shrink(before);
      return false;
    }
  }

  /** Gives a piece back to the disk. False: there is none but what a start needs. */
  giveUp(): boolean {
    return this.#cut(LAST_BYTES);
  }

  /**
   * Gives a piece back, and what a start needs when nothing else is left; that there was a reserve
   * stays to be known. False where there was nothing to give.
   */
  giveUpForStart(): boolean {
    return this.#cut(LAST_BYTES) || this.#cut(0);
  }

  /** Cuts a piece off what is more than `least`. */
  #cut(least: number): boolean {
    const size = this.#size();
    if (size === undefined || size <= least) return false;
    try {
      Deno.truncateSync(this.#path, Math.max(least, size - PIECE_BYTES));
      return true;
    } catch {
      return false;
    }
  }

  #size(): number | undefined {
    try {
      return Deno.statSync(this.#path).size;
    } catch {
      return undefined;
    }
  }

  #shrink(to: number | undefined): void {
    try {
      if (to === undefined) Deno.removeSync(this.#path);
      // A part that another process gave up meanwhile must not come back as a hole.
      else Deno.truncateSync(this.#path, Math.min(to, this.#size() ?? 0));
    } catch {
      // There is nothing to give back.
    }
  }

  /** To so many bytes, at random: some file systems keep no room for others. */
  #fill(from: number, bytes: number): void {
    using file = Deno.openSync(this.#path, { write: true, create: true, mode: 0o600 });
    file.seekSync(from, Deno.SeekMode.Start);
    const piece = new Uint8Array(PIECE_BYTES);
    for (let at = 0; at < piece.length; at += RANDOM_BYTES) {
      crypto.getRandomValues(piece.subarray(at, at + RANDOM_BYTES));
    }
    for (let at = from; at < bytes; at += PIECE_BYTES) {
      // So that no two pieces are the same.
      new DataView(piece.buffer).setUint32(0, at);
      for (let done = 0; done < piece.length;) done += file.writeSync(piece.subarray(done));
    }
  }
}

/** As much as is given at once. */
const RANDOM_BYTES = 65_536;

/** Opens what is at `path`; without room even for that, with what is left of its reserve. */
export function openedWithReserve<T>(path: string, open: () => T): T {
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (!isWithoutRoom(error) || !new SqliteReserve(path).giveUpForStart()) throw error;
    }
  }
}

/** SQLite calls it an I/O error where it can't make its shared memory. */
function isWithoutRoom(error: unknown): boolean {
  return error instanceof Error && /disk I\/O error|disk is full|os error 28\b/.test(error.message);
}
