import { backup, DatabaseSync, type StatementSync } from "node:sqlite";
import { Failure } from "../../kernel/failure.ts";
import type { SqlValue, Statement } from "../statement.ts";
import type { Connection } from "../storage.ts";

/** Pages of one step of a copy: some 16 MiB. */
const COPIED_PAGES = 4096;

/** One connection to an SQLite file. Statements are prepared once; calls run at once on this thread. */
export class SqliteConnection implements Connection {
  readonly dialect = "sqlite";
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<object, Prepared>();
  #version: StatementSync | undefined;
  /** How many statements that may write were run. */
  writes = 0;

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** For reading; never waits for a writer and is never waited for. */
  static openReader(path: string): SqliteConnection {
    const connection = SqliteConnection.#open(path);
    connection.#db.exec("pragma query_only=on");
    return connection;
  }

  /** For looking at a file that nobody has open, without a lock or a log beside it. */
  static openReadOnly(path: string): SqliteConnection {
    return new SqliteConnection(new DatabaseSync(path, { readOnly: true }));
  }

  /**
   * For writing: write-ahead log, and every commit flushed (`synchronous=FULL`). Throws when the file system
   * can't give these, rather than acknowledge what a power cut would take back.
   */
  static openWriter(path: string): SqliteConnection {
    const connection = SqliteConnection.#open(path);
    connection.#switchToWriteAheadLog();
    connection.exec("pragma synchronous=full; pragma wal_autocheckpoint=4000");
    const { journal, synchronous } = connection.durability();
    if (journal !== "wal" || synchronous !== 2) {
      throw new Error(`${path}: SQLite offers journal_mode=${journal}, synchronous=${synchronous}`);
    }
    return connection;
  }

  static #open(path: string): SqliteConnection {
    const db = new DatabaseSync(path, { timeout: 5000 });
    db.exec("pragma foreign_keys=on; pragma cache_size=-8000");
    return new SqliteConnection(db);
  }

  /** The one statement that SQLite does not wait with: of two that open a new file at once, one is told it is locked. */
  #switchToWriteAheadLog(): void {
    for (let attempt = 1;; attempt++) {
      try {
        return this.exec("pragma journal_mode=wal");
      } catch (error) {
        if (!isBusy(error) || attempt === 500) throw error;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  }

  /** What the engine really uses, as it says itself. `synchronous` 2 is FULL. */
  durability(): { journal: unknown; synchronous: unknown } {
    return {
      journal: this.#db.prepare("pragma journal_mode").get()?.journal_mode,
      synchronous: this.#db.prepare("pragma synchronous").get()?.synchronous,
    };
  }

  /** Changes when another connection commits, in this process or another. This connection must not write. */
  dataVersion(): number {
    if (!this.#version) {
      this.#version = this.#db.prepare("pragma data_version");
      this.#version.setReturnArrays(true);
    }
    return Number(Object.values(this.#version.get() ?? {})[0]);
  }

  /** How long a statement may wait for another process's lock. */
  setLockTimeout(ms: number): void {
    this.#db.exec(`pragma busy_timeout=${ms}`);
  }

  /** Runs SQL without parameters or rows: transaction control and migrations. */
  exec(sql: string): void {
    this.#db.exec(sql);
  }

  // deno-lint-ignore require-await -- the port is asynchronous, this engine is not
  async rows<P extends object, R>(statement: Statement<P, R>, params: P): Promise<R[]> {
    const { query, values, names, mayWrite } = this.#prepare(statement);
    if (mayWrite) this.writes++;
    const rows = query.all(...values(params)) as unknown as SqlValue[][];
    return rows.map((row) => toObject<R>(names, row));
  }

  // deno-lint-ignore require-await -- as above
  async row<P extends object, R>(statement: Statement<P, R>, params: P): Promise<R | undefined> {
    const { query, values, names, mayWrite } = this.#prepare(statement);
    if (mayWrite) this.writes++;
    const row = query.get(...values(params)) as unknown as SqlValue[] | undefined;
    return row && toObject<R>(names, row);
  }

  // deno-lint-ignore require-await -- as above
  async change<P extends object>(statement: Statement<P, unknown>, params: P): Promise<number> {
    const { query, values } = this.#prepare(statement);
    this.writes++;
    return Number(query.run(...values(params)).changes);
  }

  /** As `send` of a transaction: done when it resolves. */
  async send<P extends object>(statement: Statement<P, unknown>, params: P): Promise<void> {
    await this.change(statement, params);
  }

  /**
   * Copies what was committed when the copy began into an empty file, whoever writes meanwhile: the pages are read
   * in one read transaction. `onPages` hears how many pages there are and how many were copied, again and again.
   */
  async copyTo(path: string, onPages: (total: number, copied: number) => void): Promise<void> {
    this.#db.exec("begin");
    try {
      // A transaction reads what stands at its first statement, not at its begin.
      this.#db.prepare("select count(*) from sqlite_master").get();
      await backup(this.#db, path, {
        rate: COPIED_PAGES,
        progress: ({ totalPages, remainingPages }) =>
          onPages(totalPages, totalPages - remainingPages),
      });
    } finally {
      this.#db.exec("rollback");
    }
  }

  /** What is wrong with the file, by SQLite's own check of every page and index; empty where nothing is. */
  problems(): string[] {
    const rows = this.#db.prepare("pragma integrity_check").all();
    return rows.map((row) => String(row.integrity_check)).filter((text) => text !== "ok");
  }

  close(): void {
    this.#prepared.clear();
    this.#db.close();
  }

  #prepare(statement: Statement<never, unknown>): Prepared {
    const known = this.#prepared.get(statement);
    if (known) return known;
    const compiled = statement.compile("sqlite");
    const query = this.#db.prepare(compiled.sql);
    // Rows as arrays: the engine's own objects are several times slower to make.
    query.setReturnArrays(true);
    const names = query.columns().map((column) => column.name);
    const mayWrite = !/^\s*select\b/i.test(compiled.sql);
    const prepared = { query, names, mayWrite, values: compiled.values };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}

interface Prepared {
  query: StatementSync;
  names: string[];
  mayWrite: boolean;
  values(params: object): SqlValue[];
}

/** as: the statement's builder typed the columns that it selects. */
function toObject<R>(names: readonly string[], row: readonly SqlValue[]): R {
  const object: Record<string, SqlValue> = {};
  for (let i = 0; i < names.length; i++) object[names[i] ?? ""] = row[i] ?? null;
  return object as R;
}

/** True when SQLite says that another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && /database (table )?is locked/.test(error.message);
}

/** True when the file, its disk or its lock is to blame, not the statement. */
export function isStoreTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // as: the engine's errors carry its result code; the lower byte is the primary one.
  const { errcode } = error as { errcode?: unknown };
  return isBusy(error) || (typeof errcode === "number" && TROUBLES.has(errcode & 0xff));
}

/** BUSY, LOCKED, NOMEM, IOERR, FULL, CANTOPEN, PROTOCOL. */
const TROUBLES = new Set([5, 6, 7, 10, 13, 14, 15]);

/** True when what was read is no page of this database: it is damaged, and stays so. Other pages can be read. */
export function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // as: see isStoreTrouble.
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && DAMAGES.has(errcode & 0xff);
}

/** CORRUPT, NOTADB. */
const DAMAGES = new Set([11, 26]);

/** The failure that an error of the engine is to a caller; any other error as it is. */
export function asFailure(error: unknown): unknown {
  if (isDamage(error)) return new Failure("store_damaged", { cause: error });
  return isStoreTrouble(error) ? new Failure("unavailable", { cause: error }) : error;
}
