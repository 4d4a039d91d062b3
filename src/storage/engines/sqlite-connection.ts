import { backup, DatabaseSync, type StatementSync } from "node:sqlite";
import { Failure } from "../../kernel/failure.ts";
import { noRoomFailure } from "../no-room.ts";
import type { SqlValue, Statement } from "../statement.ts";
import type { Connection } from "../storage.ts";
import { EVERYTHING, type Part, type Touches } from "../touched-rows.ts";
import { isFailedRead, isNoRoom, sqliteCodeOf } from "./sqlite-errors.ts";

/** Pages of one step of a copy: some 16 MiB. */
const COPIED_PAGES = 4096;

/**
 * Pages of the log at which it is written back into the database: 64 MB. A page that changes often
 * is written back once (bench/notes/writes.md).
 */
const WRITTEN_BACK = 16_000;
/** The limit with Litestream, which acts at 1,000: reached only when Litestream no longer runs. */
const LEFT_TO_LITESTREAM = 200_000;

/** One connection to an SQLite file. Statements are prepared once; calls run on this thread. */
export class SqliteConnection implements Connection {
  readonly dialect = "sqlite";
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<object, Prepared>();
  #version: StatementSync | undefined;
  readonly #controls = new Map<string, StatementSync>();
  /** Between `begin immediate` and its end. */
  #isBegun = false;
  /** How many statements that may write were run. */
  writes = 0;
  /** How many rows they changed. */
  changed = 0;
  /** The parts of cached answers that they may have changed, since this was last emptied. */
  readonly touched = new Set<Part>();

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** For reading; never waits for a writer and is never waited for. */
  static openReader(path: string): SqliteConnection {
    const connection = SqliteConnection.#open(path);
    connection.#db.exec("pragma query_only=on");
    return connection;
  }

  /** For looking at a file that no one has open, without a lock or a log beside it. */
  static openReadOnly(path: string): SqliteConnection {
    return new SqliteConnection(new DatabaseSync(path, { readOnly: true }));
  }

  /**
   * For writing: write-ahead log, and every commit flushed (`synchronous=FULL`). Throws when the
   * file system can't give these, rather than acknowledge what a power cut would take back.
   */
  static openWriter(path: string): SqliteConnection {
    const connection = SqliteConnection.#open(path);
    try {
      connection.#becomeWriter(path);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  #becomeWriter(path: string): void {
    this.#switchToWriteAheadLog();
    const pages = this.isReplicated() ? LEFT_TO_LITESTREAM : WRITTEN_BACK;
    this.exec(`pragma synchronous=full; pragma wal_autocheckpoint=${pages}`);
    const { journal, synchronous } = this.durability();
    if (journal !== "wal" || synchronous !== 2) {
      throw new Error(`${path}: SQLite offers journal_mode=${journal}, synchronous=${synchronous}`);
    }
  }

  static #open(path: string): SqliteConnection {
    const db = new DatabaseSync(path, { timeout: 5000 });
    db.exec("pragma foreign_keys=on; pragma cache_size=-8000");
    return new SqliteConnection(db);
  }

  /**
   * Has the database take over all that is in the log, and flushes it: call it before anything is
   * written. Bytes in the log whose flush failed are readable by the system and may never reach the
   * disk; whatever came behind it in the log would be lost with it. Nothing is done where another
   * process has the database open, which knows where its log ends, or Litestream copies the log.
   * Throws where the disk does not take it.
   */
  emptyLog(): void {
    if (!this.isReplicated()) this.#db.prepare("pragma wal_checkpoint(truncate)").get();
  }

  /**
   * Tries to have the database take over all that is in the log, and empties it. False where a
   * person still reads an old state; true also where that is Litestream's matter. Throws where the
   * disk does not take it.
   */
  takeOverLog(): boolean {
    if (this.isReplicated()) return true;
    return this.#db.prepare("pragma wal_checkpoint(truncate)").get()?.busy === 0;
  }

  /** Whether Litestream copies this file, or once did: it keeps a table in it. */
  isReplicated(): boolean {
    const tables = this.#db.prepare("select 1 from sqlite_master where name = '_litestream_seq'");
    return tables.get() !== undefined;
  }

  /**
   * The one statement that SQLite does not wait with: of two that open a new file at once, one gets
   * an error that it is locked.
   */
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

  /** The settings that the engine really uses, by its own answer. `synchronous` 2 is FULL. */
  durability(): { journal: unknown; synchronous: unknown } {
    return {
      journal: this.#db.prepare("pragma journal_mode").get()?.journal_mode,
      synchronous: this.#db.prepare("pragma synchronous").get()?.synchronous,
    };
  }

  /** Changes when another connection commits, of any process, and not when this one does. */
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

  /** Begins or ends a transaction. Unlike those of `exec`, its errors carry the engine's code. */
  control(sql: "begin immediate" | "commit"): void {
    let known = this.#controls.get(sql);
    if (!known) this.#controls.set(sql, known = this.#db.prepare(sql));
    known.run();
    this.#isBegun = sql !== "commit";
  }

  /** Takes back whatever is open. */
  rollback(): void {
    this.#isBegun = false;
    if (this.#db.isTransaction) this.#db.exec("rollback");
  }

  /**
   * Throws where SQLite has ended the transaction by itself, as it does after some errors, such as
   * a read that fails: each further statement would be committed alone.
   */
  requireTransaction(): void {
    if (this.#isBegun && !this.#db.isTransaction) {
      throw new Error("SQLite has ended the transaction by itself");
    }
  }

  /** Runs SQL without parameters or rows: migrations and pragmas. */
  exec(sql: string): void {
    this.#db.exec(sql);
  }

  // deno-lint-ignore require-await -- the port is asynchronous, this engine is not
  async rows<P extends object, R>(statement: Statement<P, R>, params: P): Promise<R[]> {
    const { query, values, toObject, touches } = this.#prepare(statement);
    if (touches) this.#writes(touches, params);
    // as: the statement gives its rows as arrays, which its type does not say.
    const rows = query.all(...values(params)) as unknown as SqlValue[][];
    if (touches) this.changed += rows.length;
    // as: the statement's builder typed the columns that it selects.
    return rows.map(toObject) as R[];
  }

  // deno-lint-ignore require-await -- as above
  async row<P extends object, R>(statement: Statement<P, R>, params: P): Promise<R | undefined> {
    const { query, values, toObject, touches } = this.#prepare(statement);
    if (touches) this.#writes(touches, params);
    const row = query.get(...values(params)) as unknown as SqlValue[] | undefined;
    if (touches && row) this.changed++;
    // as: see above.
    return row && toObject(row) as R;
  }

  // deno-lint-ignore require-await -- as above
  async change<P extends object>(statement: Statement<P, unknown>, params: P): Promise<number> {
    return this.#change(statement, params);
  }

  #change<P extends object>(statement: Statement<P, unknown>, params: P): number {
    const { query, values, touches } = this.#prepare(statement);
    this.#writes(touches ?? touchesEverything, params);
    const changes = Number(query.run(...values(params)).changes);
    this.changed += changes;
    return changes;
  }

  /** As `send` of a transaction: done when it resolves. */
  // deno-lint-ignore require-await -- as above
  async send<P extends object>(statement: Statement<P, unknown>, params: P): Promise<void> {
    this.#change(statement, params);
  }

  /**
   * Copies what was committed when the copy began into an empty file, whoever writes meanwhile: the
   * pages are read in one read transaction. `onPages` hears how many pages there are and how many
   * were copied, again and again.
   */
  async copyTo(path: string, onPages: (total: number, copied: number) => void): Promise<void> {
    this.#db.exec("begin");
    try {
      // A transaction reads what is at its first statement, not at its begin.
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

  /** Whether a table has rows; false where there is no such table, or no database. */
  hasRows(table: string): boolean {
    try {
      return this.#db.prepare(`select 1 from ${table} limit 1`).get() !== undefined;
    } catch (error) {
      if (error instanceof Error && /no such table|not a database/.test(error.message)) {
        return false;
      }
      throw error;
    }
  }

  /** The problems of the file, by SQLite's own check of every page and index; empty: none. */
  problems(): string[] {
    const rows = this.#db.prepare("pragma integrity_check").all();
    return rows.map((row) => String(row.integrity_check)).filter((text) => text !== "ok");
  }

  close(): void {
    this.#prepared.clear();
    this.#controls.clear();
    this.#db.close();
  }

  #writes(touches: Touches, params: object): void {
    this.writes++;
    for (const part of touches(params)) this.touched.add(part);
  }

  #prepare(statement: Statement<never, unknown>): Prepared {
    this.requireTransaction();
    const known = this.#prepared.get(statement);
    if (known) return known;
    const compiled = statement.compile("sqlite");
    const query = this.#db.prepare(compiled.sql);
    // Rows as arrays: the engine's own objects are several times slower to make.
    query.setReturnArrays(true);
    const toObject = objectMaker(query.columns().map((column) => column.name));
    const mayWrite = !/^\s*select\b/i.test(compiled.sql);
    const touches = mayWrite ? compiled.touches ?? touchesEverything : undefined;
    const prepared = { query, toObject, touches, values: compiled.values };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}

interface Prepared {
  query: StatementSync;
  toObject: ToObject;
  /** Of a statement that may write. */
  touches: Touches | undefined;
  values(params: object): SqlValue[];
}

const touchesEverything: Touches = () => [EVERYTHING];

type ToObject = (row: readonly SqlValue[]) => Record<string, SqlValue>;

/**
 * Makes objects with these members, in one form: put together member by member, a row of twenty
 * columns would take twelve times as long. The names are those of our own statements.
 */
function objectMaker(names: readonly string[]): ToObject {
  const members = names.map((name, i) => `${JSON.stringify(name)}: row[${i}]`);
  // as: this is what the text says.
  return new Function("row", `return { ${members.join(", ")} };`) as ToObject;
}

/** True when SQLite says that another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && /database (table )?is locked/.test(error.message);
}

/** True when the file, its disk or its lock is to blame, not the statement. */
function isStoreProblem(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // as: the engine's errors carry its result code; the lower byte is the primary one.
  const { errcode } = error as { errcode?: unknown };
  return isBusy(error) || (typeof errcode === "number" && PROBLEMS.has(errcode & 0xff));
}

/** BUSY, LOCKED, NOMEM, IOERR, FULL, CANTOPEN, PROTOCOL. */
const PROBLEMS = new Set([5, 6, 7, 10, 13, 14, 15]);

/**
 * True when what was read is no page of this database: it is damaged, and stays so. Other pages can
 * be read.
 */
export function isDamage(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  // as: see isStoreTrouble.
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" && DAMAGES.has(errcode & 0xff);
}

/** CORRUPT, NOTADB. */
const DAMAGES = new Set([11, 26]);

/**
 * The error of the engine for a caller: `store_damaged` for a damaged page, `internal` if the disk
 * can't be read, `unavailable` if the file is locked, full or gone; any other error as it is.
 */
export function asFailure(error: unknown): unknown {
  if (isDamage(error)) return new Failure("store_damaged", { cause: error });
  const code = sqliteCodeOf(error);
  if (isFailedRead(code)) return new Failure("internal", { cause: error });
  if (isNoRoom(code)) return noRoomFailure(code, error);
  return isStoreProblem(error) ? new Failure("unavailable", { cause: error }) : error;
}
