import { SQLITE_NO_ROOM } from "../no-room.ts";

/**
 * The result code of an error of SQLite by its name, such as `SQLITE_FULL`; undefined for any other
 * error.
 */
export function sqliteCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // as: the engine's errors carry its extended result code, but for those of `exec`.
  const { errcode } = error as { errcode?: unknown };
  if (typeof errcode !== "number") return undefined;
  const primary = codes[errcode & 0xff];
  return codes[errcode] ?? (primary === undefined ? `SQLITE_${errcode}` : primary);
}

/** True where the disk has no room for what was to be written; shared memory is a file too. */
export function isNoRoom(code: string | undefined): code is string {
  return code === SQLITE_NO_ROOM || code === "SQLITE_IOERR_SHMSIZE";
}

/**
 * True where something that was written may not have reached the disk, and reading it again would
 * not tell: the system forgets what it could not write, and shows it as written. SQLite's name for
 * EIO there.
 */
export function isFailedWrite(code: string | undefined): boolean {
  return code !== undefined && FAILED_WRITES.has(code);
}

/**
 * True where the disk would not give back what was asked for. SQLite tells of an EIO while it reads
 * a page in the words of a damaged one.
 */
export function isFailedRead(code: string | undefined): boolean {
  return code !== undefined && FAILED_READS.has(code);
}

const codes: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  7: "SQLITE_NOMEM",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  15: "SQLITE_PROTOCOL",
  26: "SQLITE_NOTADB",
  266: "SQLITE_IOERR_READ",
  522: "SQLITE_IOERR_SHORT_READ",
  778: "SQLITE_IOERR_WRITE",
  1034: "SQLITE_IOERR_FSYNC",
  1290: "SQLITE_IOERR_DIR_FSYNC",
  1546: "SQLITE_IOERR_TRUNCATE",
  1802: "SQLITE_IOERR_FSTAT",
  4106: "SQLITE_IOERR_CLOSE",
  4618: "SQLITE_IOERR_SHMOPEN",
  4874: "SQLITE_IOERR_SHMSIZE",
  5386: "SQLITE_IOERR_SHMMAP",
  8202: "SQLITE_IOERR_DATA",
  8458: "SQLITE_IOERR_CORRUPTFS",
};

const FAILED_WRITES: ReadonlySet<string> = new Set(
  ["WRITE", "FSYNC", "DIR_FSYNC", "TRUNCATE", "CLOSE"].map((end) => `SQLITE_IOERR_${end}`),
);

const FAILED_READS: ReadonlySet<string> = new Set([
  "SQLITE_CORRUPT",
  ...["READ", "SHORT_READ", "DATA", "CORRUPTFS"].map((end) => `SQLITE_IOERR_${end}`),
]);
