import { SqliteConnection } from "./sqlite-connection.ts";
import { realPlaceOf } from "./sqlite-files.ts";
import { lockSqlite } from "./sqlite-session.ts";

const PIECE_BYTES = 1024 * 1024;

/**
 * Writes the log that a process left behind once more, as the system shows it, and flushes it: call
 * it before anything else opens the store at `path`. A part of it may be what a flush failed of: it
 * is shown and never reaches the disk. SQLite would copy it into the database page by page, at the
 * latest when the file is closed, and a power cut on the way would leave half a change; what is
 * written behind it would be lost with it. Once all of the log is on the disk, each next start
 * copies it again.
 *
 * Nothing is done where another process has the store open, which knows where its log ends; beside
 * Litestream, which does not write to it, all the same. Throws where the disk does not take it.
 */
export function rewriteLog(path: string): void {
  const log = leftLogOf(path);
  if (log === undefined) return;
  const connection = SqliteConnection.openWriter(path);
  if (connection.isReplicated() || lockSqlite(connection, 0)) {
    // No one else writes to the log or begins it anew.
    connection.exec("begin immediate");
    writeAgain(log);
    connection.exec("rollback");
  }
  // Not where this failed: closing copies the log.
  connection.close();
}

/** The log of the store at this path, where it holds anything. */
function leftLogOf(path: string): string | undefined {
  try {
    const log = `${realPlaceOf(path) ?? path}-wal`;
    return Deno.statSync(log).size > 0 ? log : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function writeAgain(log: string): void {
  using file = Deno.openSync(log, { read: true, write: true });
  const piece = new Uint8Array(PIECE_BYTES);
  for (let at = 0;;) {
    file.seekSync(at, Deno.SeekMode.Start);
    const length = file.readSync(piece);
    if (length === null) break;
    file.seekSync(at, Deno.SeekMode.Start);
    for (let done = 0; done < length;) done += file.writeSync(piece.subarray(done, length));
    at += length;
  }
  file.syncSync();
}
