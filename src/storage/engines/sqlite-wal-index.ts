import { closeSync, openSync, readSync, realpathSync } from "node:fs";
import type { CommitSign } from "./sqlite-change-mark.ts";

/** The header's first copy, and where in it stand the format's version and whether it was filled in. */
const HEADER_BYTES = 48;
const VERSION = 3_007_000;
const INITIALISED_AT = 12;

/**
 * Looks at the header of a write-ahead log's index, which every commit changes as the last thing that it does
 * (sqlite.org/walformat.html, 2.1): the size of the log, a counter and checksums. This is what a connection
 * compares too, without the two locks and the transaction that asking it would cost.
 *
 * POSIX drops all locks of a process on a file when any descriptor of that file is closed, those of SQLite among
 * them. So a file is opened once in this thread and closed with the last of those who look at it, after their
 * connections.
 */
export class WalIndex implements CommitSign {
  readonly #path: string;
  readonly #file: number;
  readonly #now = new Uint32Array(HEADER_BYTES / 4);
  readonly #nowBytes = new Uint8Array(this.#now.buffer);
  readonly #last = new Uint32Array(HEADER_BYTES / 4);
  #mark = 0;

  private constructor(path: string, file: number) {
    this.#path = path;
    this.#file = file;
  }

  /**
   * Of the database at this path, which a connection of the caller's has read from and keeps open until after
   * `close`. Undefined where this is not known to work: then only the connection can tell.
   */
  static open(databasePath: string): WalIndex | undefined {
    // Elsewhere nobody promises that a read sees at once what another process wrote to mapped memory.
    if (Deno.build.os !== "linux") return undefined;
    let path: string;
    try {
      path = `${realpathSync(databasePath)}-shm`;
    } catch {
      return undefined;
    }
    const file = take(path);
    if (file === undefined) return undefined;
    const index = new WalIndex(path, file);
    index.mark();
    // What is no such header stays open, which loses nothing: to close it would cost the caller its locks.
    return index.#now[0] === VERSION && index.#nowBytes[INITIALISED_AT] === 1 ? index : undefined;
  }

  /**
   * Another number after any commit by whichever process. A header that is being written reads as neither the old
   * nor the new one, so that it counts as one change more, never as none. Throws when there is no header any more.
   */
  mark(): number {
    const read = readSync(this.#file, this.#nowBytes, 0, HEADER_BYTES, 0);
    if (read !== HEADER_BYTES) throw new Error(`${this.#path}: ${read} bytes, not a header`);
    for (let i = 0; i < this.#now.length; i++) {
      if (this.#now[i] === this.#last[i]) continue;
      this.#last.set(this.#now);
      return ++this.#mark;
    }
    return this.#mark;
  }

  close(): void {
    giveBack(this.#path);
  }
}

/** The open files of this thread by path, and how many look at each. */
const open = new Map<string, { file: number; users: number }>();

function take(path: string): number | undefined {
  const known = open.get(path);
  if (known) {
    known.users++;
    return known.file;
  }
  try {
    const file = openSync(path, "r");
    open.set(path, { file, users: 1 });
    return file;
  } catch {
    return undefined;
  }
}

function giveBack(path: string): void {
  const known = open.get(path);
  if (!known || --known.users > 0) return;
  open.delete(path);
  closeSync(known.file);
}
