import type { SqlValue } from "../statement.ts";
import type { Connection } from "../storage.ts";

/** A table as its engine describes it. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly { name: string; type: "text" | "integer" }[];
  /** The columns of its primary key, in the order of the key. */
  readonly key: readonly string[];
}

/**
 * One connection to a store for those who move, inspect or close it: without the migrations of a
 * start, and with transactions that the caller begins and ends by `exec`.
 */
export interface StoreSession extends Connection {
  /**
   * Every table that the engine has, by name; without virtual tables and what belongs to them, and
   * without those that Litestream keeps beside ours.
   */
  tables(): Promise<TableShape[]>;
  /** Whether `tables` has one of this name, which costs less to ask. */
  hasTable(name: string): Promise<boolean>;
  /**
   * The schema of a PostgreSQL in which tables are made (undefined: search_path names none that is
   * there), and the others that hold a store.
   */
  schemas(): Promise<{ here: string | undefined; others: string[] }>;
  /** Runs `work`, which writes nothing, while names are of this schema alone. */
  inSchema<T>(schema: string, work: () => Promise<T>): Promise<T>;
  /** Runs SQL without parameters or rows. */
  exec(sql: string): Promise<void>;
  /** Adds rows whose values stand in the order of the table's columns. */
  insertRows(table: TableShape, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /**
   * Sees to it that no one else writes to the store as long as this session is open. Throws
   * StoreInUse where a process has it open (SQLite), or a server shows that it lives (PostgreSQL).
   */
  lockAlone(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Litestream's own tables in an SQLite store, `_litestream_seq` and `_litestream_lock`: nothing of
 * the data.
 */
export const LITESTREAM_TABLES = "_litestream_";

/** Thrown when others have the store open; the message names them, where that is known. */
export class StoreInUse extends Error {}
