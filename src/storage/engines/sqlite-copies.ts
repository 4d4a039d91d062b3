import { type AppliedStep, appliedSteps } from "../migrate.ts";
import type { Statement } from "../statement.ts";
import { isBusy, SqliteConnection } from "./sqlite-connection.ts";
import { openedWithReserve } from "./sqlite-reserve.ts";
import { rewriteLog } from "./sqlite-log.ts";
import { lockSqlite } from "./sqlite-session.ts";
import { StoreInUse } from "./store-session.ts";

/** A checked copy. */
export interface CheckedStore {
  steps: AppliedStep[];
  /** The check value of each version of the sealing key that it was written with. */
  keys: { version: number; check_value: string }[];
}

/** Thrown for a file that is no whole store; the message says why. */
export class NoStore extends Error {}

/**
 * Copies an SQLite store, as it stood when this was called, into `target`, which must be there and
 * empty. Writers are not waited for and do not wait.
 */
export async function copySqliteStore(
  path: string,
  target: string,
  onPages: (total: number, copied: number) => void,
): Promise<void> {
  const connection = openedWithReserve(path, () => {
    const opened = SqliteConnection.openReader(path);
    try {
      // The first read makes the shared memory.
      opened.hasRows("schema_versions");
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
  try {
    await connection.copyTo(target, onPages);
  } finally {
    connection.close();
  }
}

/**
 * Checks every page and index of a copy that no one else has open, and leaves it as one file,
 * without a log beside it. Throws NoStore where it is damaged, no database, or none of ours.
 */
export async function checkSqliteStore(path: string): Promise<CheckedStore> {
  const connection = openCopy(path);
  try {
    const [problem, ...more] = tried(() => connection.problems());
    if (problem !== undefined) {
      throw new NoStore(`it is damaged: ${problem}${more.length > 0 ? ", and more" : ""}`);
    }
    const steps = await appliedSteps(connection).catch(() => []);
    if (steps.length === 0) throw new NoStore("it is a database, but no store of Keydesk");
    const keys = await connection.rows(keysSql, {});
    connection.exec("pragma journal_mode=delete");
    return { steps, keys };
  } finally {
    connection.close();
  }
}

const keysSql: Statement<Record<never, never>, { version: number; check_value: string }> = {
  compile: () => ({
    sql: "select version, check_value from sealing_keys order by version",
    values: () => [],
  }),
};

function openCopy(path: string): SqliteConnection {
  return tried(() => SqliteConnection.openWriter(path));
}

function tried<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new NoStore(`SQLite says: ${error.message}`);
  }
}

/**
 * Runs `work` while no one else can open the store at `path`, and with everything of it in that one
 * file. Throws StoreInUse where a process has it open. A file that SQLite can't read is held by no
 * one: `work` runs too, and is given undefined in place of the store.
 */
export async function whileUnused(
  path: string,
  work: (store: SqliteConnection | undefined) => Promise<void>,
): Promise<void> {
  let connection: SqliteConnection | undefined;
  try {
    connection = SqliteConnection.openWriter(path);
    if (!lockSqlite(connection)) throw new StoreInUse();
    connection.exec("pragma journal_mode=delete");
  } catch (error) {
    if (error instanceof StoreInUse || isBusy(error)) {
      connection?.close();
      throw new StoreInUse();
    }
    // Damaged: the very reason to put another in its place.
    connection?.close();
    connection = undefined;
  }
  try {
    await work(connection);
  } finally {
    connection?.close();
  }
}

/**
 * Runs `work` with a copy attached to a store, as `copy`; nothing else may have the copy open. If
 * SQLite can't read one of the two, its error is thrown.
 */
export async function besideCopy<T>(
  store: SqliteConnection,
  copy: string,
  work: (store: SqliteConnection) => Promise<T>,
): Promise<T> {
  store.exec(`attach database '${copy.replaceAll("'", "''")}' as copy`);
  try {
    return await work(store);
  } finally {
    store.exec("detach database copy");
  }
}

/**
 * Whether secrets may have been sealed in the store at `path`: it knows of a sealing key. False for
 * what is no store yet, or none at all.
 */
export function isSealedStore(path: string): boolean {
  rewriteLog(path);
  const connection = SqliteConnection.openReader(path);
  try {
    return connection.hasRows("sealing_keys");
  } finally {
    connection.close();
  }
}

/**
 * Gives a database that no one has open another name, together with its log, or the log alone that
 * one left behind: beside another database it would be taken for that one's. Gives the name.
 */
export async function setAside(store: string): Promise<string> {
  const aside = `${store}.before-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
  for (const end of ["", "-wal", "-shm"]) {
    await Deno.rename(store + end, aside + end).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  return aside;
}
