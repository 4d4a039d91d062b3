/**
 * SQLite's WebAssembly build in the shape of `node:sqlite`, as far as Keydesk uses it. The import
 * map of the simulation puts this module in that one's place.
 */
// deno-lint-ignore-file no-explicit-any -- the build's own types leave its C interface open
import type { Disk } from "./disk.ts";
import { bytesAt, capi, current, VFS, wasm } from "./sqlite-files.ts";

const open = new Set<DatabaseSync>();

/** Closes what a process that was stopped had open. */
export function abandonAll(): void {
  for (const database of [...open]) database.abandon();
}

/** An error of SQLite, as node:sqlite throws it. */
class SqliteError extends Error {
  readonly code = "ERR_SQLITE_ERROR";
  constructor(message: string, readonly errcode: number) {
    super(message);
  }
}

type Value = string | number | null;

/** One connection. */
export class DatabaseSync {
  readonly pointer: number;
  readonly disk: Disk;
  readonly statements = new Set<StatementSync>();
  #isOpen = true;

  constructor(path: string, { timeout = 0 } = {}) {
    this.disk = current();
    const out = wasm.pstack.alloc(8);
    const flags = capi.SQLITE_OPEN_READWRITE | capi.SQLITE_OPEN_CREATE |
      capi.SQLITE_OPEN_EXRESCODE;
    const code = capi.sqlite3_open_v2(path, out, flags, VFS);
    this.pointer = wasm.peekPtr(out);
    wasm.pstack.restore(out + 8);
    if (code !== 0) {
      const error = this.error(code);
      capi.sqlite3_close_v2(this.pointer);
      throw error;
    }
    open.add(this);
    capi.sqlite3_busy_timeout(this.pointer, timeout);
    // As the runtime's own build has them.
    this.exec("pragma page_size=4096");
  }

  get isTransaction(): boolean {
    this.require();
    return capi.sqlite3_get_autocommit(this.pointer) === 0;
  }

  exec(sql: string): void {
    this.require();
    const code = capi.sqlite3_exec(this.pointer, sql, 0, 0, 0);
    if (code !== 0) throw this.error(code);
  }

  prepare(sql: string): StatementSync {
    this.require();
    return new StatementSync(this, sql);
  }

  close(): void {
    this.require();
    this.abandon();
  }

  /** Closes it, whatever its process was doing. */
  abandon(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const statement of this.statements) statement.finalize();
    capi.sqlite3_close_v2(this.pointer);
    open.delete(this);
  }

  require(): void {
    if (!this.#isOpen || this.disk.stopped) throw new SqliteError("the process has ended", 10);
  }

  error(code: number): SqliteError {
    return new SqliteError(capi.sqlite3_errmsg(this.pointer), code);
  }
}

/** One prepared statement. */
export class StatementSync {
  readonly #database: DatabaseSync;
  readonly #pointer: number;
  readonly #columns: number;
  #asArrays = false;

  constructor(database: DatabaseSync, sql: string) {
    this.#database = database;
    const out = wasm.pstack.alloc(8);
    const code = capi.sqlite3_prepare_v2(database.pointer, sql, -1, out, null);
    this.#pointer = wasm.peekPtr(out);
    wasm.pstack.restore(out + 8);
    if (code !== 0) throw database.error(code);
    this.#columns = capi.sqlite3_column_count(this.#pointer);
    database.statements.add(this);
  }

  setReturnArrays(asArrays: boolean): void {
    this.#asArrays = asArrays;
  }

  columns(): { name: string }[] {
    return Array.from(
      { length: this.#columns },
      (_, i) => ({ name: capi.sqlite3_column_name(this.#pointer, i) }),
    );
  }

  all(...values: Value[]): unknown[] {
    return this.#run(values, Infinity);
  }

  get(...values: Value[]): any {
    return this.#run(values, 1)[0];
  }

  run(...values: Value[]): { changes: number } {
    this.#run(values, Infinity);
    return { changes: capi.sqlite3_changes(this.#database.pointer) };
  }

  finalize(): void {
    capi.sqlite3_finalize(this.#pointer);
    this.#database.statements.delete(this);
  }

  #run(values: Value[], limit: number): unknown[] {
    this.#database.require();
    const statement = this.#pointer;
    const rows: unknown[] = [];
    values.forEach((value, i) => this.#bind(i + 1, value));
    try {
      for (;;) {
        const code = wasm.exports.sqlite3_step(statement);
        if (code === capi.SQLITE_DONE) return rows;
        if (code !== capi.SQLITE_ROW) throw this.#database.error(code);
        if (rows.length < limit) rows.push(this.#row());
        if (rows.length >= limit) return rows;
      }
    } finally {
      wasm.exports.sqlite3_reset(statement);
      wasm.exports.sqlite3_clear_bindings(statement);
    }
  }

  #bind(index: number, value: Value): void {
    const statement = this.#pointer;
    const code = value === null
      ? wasm.exports.sqlite3_bind_null(statement, index)
      : typeof value === "string"
      ? bindText(statement, index, value)
      : Number.isSafeInteger(value)
      ? wasm.exports.sqlite3_bind_int64(statement, index, BigInt(value))
      : wasm.exports.sqlite3_bind_double(statement, index, value);
    if (code !== 0) throw this.#database.error(code);
  }

  #row(): unknown {
    const values = Array.from({ length: this.#columns }, (_, i) => this.#value(i));
    if (this.#asArrays) return values;
    return Object.fromEntries(this.columns().map(({ name }, i) => [name, values[i]]));
  }

  #value(column: number): Value {
    const statement = this.#pointer;
    switch (wasm.exports.sqlite3_column_type(statement, column)) {
      case capi.SQLITE_NULL:
        return null;
      case capi.SQLITE_INTEGER:
        return Number(capi.sqlite3_column_int64(statement, column));
      case capi.SQLITE_FLOAT:
        return capi.sqlite3_column_double(statement, column);
      default:
        return capi.sqlite3_column_text(statement, column);
    }
  }
}

/**
 * The build's own wrappers of some functions fail, so they are called as they are. -1: SQLite makes
 * a copy.
 */
function bindText(statement: number, index: number, value: string): number {
  const bytes = new TextEncoder().encode(value);
  const pointer = wasm.alloc(bytes.length + 1);
  bytesAt(pointer, bytes.length).set(bytes);
  const code = wasm.exports.sqlite3_bind_text(statement, index, pointer, bytes.length, -1);
  wasm.dealloc(pointer);
  return code;
}

/** No store is copied in the simulation. */
export function backup(): Promise<void> {
  return Promise.reject(new Error("not simulated"));
}
