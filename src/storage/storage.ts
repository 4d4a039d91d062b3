import type { Deadline } from "../kernel/deadline.ts";
import type { Durations } from "../kernel/metrics/durations.ts";
import type { Mark } from "../kernel/read-cache.ts";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import type { Dialect, Statement } from "./statement.ts";
import type { AuditLogOutlet, TxOutlet } from "./outlet.ts";
import type { Part } from "./touched-rows.ts";

/** Something that runs statements: the reader, or one transaction. */
export interface Connection {
  readonly dialect: Dialect;
  /** All rows. */
  rows<P extends object, R>(statement: Statement<P, R>, params: P): Promise<R[]>;
  /** The first row, or undefined. */
  row<P extends object, R>(statement: Statement<P, R>, params: P): Promise<R | undefined>;
  /** Runs a write and gives the number of rows that it changed. */
  change<P extends object>(statement: Statement<P, unknown>, params: P): Promise<number>;
  /**
   * Of the reader that one call has: the one that all have, for what is asked for several calls
   * together.
   */
  readonly shared?: SharedReader;
}

/** The reader that all calls have, and how one of them waits for what was asked for others too. */
interface SharedReader {
  readonly reader: Connection;
  waitFor<T>(ask: () => Promise<T>): Promise<T>;
}

/**
 * How many characters of what sorts a list name a bucket at each level; the first level is the
 * whole list.
 */
export type Levels = readonly [number, number, number, number, number];

/** Changes of list counters that wait for the end of a transaction. */
export interface CountChanges {
  /** Counts `by` rows in or out of a list, all of them in the last level's bucket of `key`. */
  add(row: { org_id: string; list: string; key: string; levels: Levels }, by: number): void;
  /**
   * The number that this commit has added to a list so far, and will write with it: the store does
   * not show it yet.
   */
  soFar(org_id: string, list: string): number;
}

/**
 * One transaction under way: its statements, what sealing inside it needs, and the counters to
 * change at its end.
 */
export interface Tx extends Connection {
  /**
   * Runs a write of which no one needs to know how many rows it changed. It may still be under way
   * when this resolves; should it fail, the transaction fails with its error, at a later statement
   * or at the commit.
   */
  send<P extends object>(statement: Statement<P, unknown>, params: P): Promise<void>;
  readonly sealer: Sealer;
  /** Written when the transaction ends well; stores add to it through list-counts.ts. */
  readonly counts: CountChanges;
  /** The stream, if the audit log has one. */
  readonly outlet?: TxOutlet | undefined;
}

/**
 * A state change that is done whole or not at all. `run` may be executed more than once (a
 * serialisation failure repeats it), and on another thread than its caller: it must depend on
 * nothing but `tx` and `input`, and both input and output must be what JSON can carry.
 */
export interface Transaction<Input, Output> {
  readonly id: string;
  /**
   * True of what ends access, and of what that and a start need: it is done with the reserve of a
   * full disk.
   */
  readonly withoutRoom?: boolean;
  /**
   * True of the same, but for what takes data away: it is done though the audit log stream
   * takes nothing.
   */
  readonly withoutStream?: boolean;
  run(tx: Tx, input: Input): Promise<Output>;
}

/**
 * Declares a transaction; `src/transactions.ts` lists them all, so that a writer thread can find it
 * by id.
 */
export function defineTransaction<Input, Output>(
  id: string,
  run: (tx: Tx, input: Input) => Promise<Output>,
  { withoutRoom = false, withoutStream = withoutRoom }: {
    withoutRoom?: boolean;
    withoutStream?: boolean;
  } = {},
): Transaction<Input, Output> {
  return { id, run, withoutRoom, withoutStream };
}

/**
 * How a group of changes ended: something is durable, there was nothing to write, or the store
 * could not.
 */
export type WriteEnd = "kept" | "nothing" | { failed: string };

/**
 * Why nothing may be written through an open store any more. `reason` holds no path and no secret.
 */
export interface StoreEnd {
  /** Another file is at the store's path; or the disk's content differs from what it said. */
  readonly kind: "lost" | "untrusted";
  readonly reason: string;
}

/** The listener to an open store. No function of it may throw. */
export interface StoreSigns {
  /** Something is to be written; `ended` follows. */
  began(): void;
  /** `failed` names the engine's code, such as `SQLITE_FULL`. */
  ended(how: WriteEnd): void;
  /**
   * Called with whether the disk is full, so that only what may use its reserve is written; each
   * time that it changes.
   */
  room(lacks: boolean): void;
  /**
   * Called with why the database does not take over its log of changes, undefined if it does; each
   * time that it changes.
   */
  log(keptBack: string | undefined): void;
  /** Called once when nothing more can be kept. */
  over(end: StoreEnd): void;
  /** Called each time that a page can't be read any more, with the engine's words. */
  damaged(reason: string): void;
  /** All that was called damaged can be read again. */
  whole(): void;
}

/** For anyone who does not listen. */
export const noSigns: StoreSigns = {
  began: () => {},
  ended: () => {},
  room: () => {},
  log: () => {},
  over: () => {},
  damaged: () => {},
  whole: () => {},
};

/** The changes since something was read. */
export interface Changes {
  /** The position of the changes: call it before anything is read that will be cached. */
  mark(): Mark;
  /**
   * Whether what was read after the mark and depends on these parts of the store alone is what a
   * read would give now. A commit through this Storage counts from its acknowledgement. Another
   * process's counts from its acknowledgement too or, if that can't be known at once, at most 5 ms
   * after it. False if it can't be known now; it may be true again later.
   */
  holds(mark: Mark, parts: readonly Part[]): boolean | Promise<boolean>;
}

/** The load of an open store, and how long its flushes took. */
interface StoreLoad {
  /** Changes that wait or are under way, and how long the oldest of them has, in milliseconds. */
  readonly changes: { length: number; oldestMs: number };
  /** Undefined where a database server flushes. */
  readonly flushes: Durations | undefined;
  /** Connections to a database server; undefined where there is none. */
  readonly pool: PoolLoad | undefined;
}

/** How many connections are lent out, idle and allowed, and how many callers wait for one. */
export interface PoolLoad {
  readonly inUse: number;
  readonly idle: number;
  readonly max: number;
  readonly waiting: number;
}

/** An open store. */
export interface Storage {
  /**
   * The shared store, if this is the store as one call sees it: it reads the values that are cached
   * beyond the call.
   */
  readonly itself?: Storage;
  /** Each statement by itself; sees everything whose `commit` was acknowledged before. */
  readonly reader: Connection;
  /**
   * The reader for one call, which repeats no question once its time is over. Absent if no question
   * is repeated.
   */
  readerWithin?(deadline: Deadline): Connection;
  /**
   * Runs the transaction and resolves after its commit is durable. Throws the Failure that it threw
   * (nothing is kept then), or `unavailable` when the store can't take it now. Behind the deadline
   * nothing is begun or committed any more, but what is under way then is ended first: a call waits
   * for it by `storageWithin`.
   */
  commit<I, O>(transaction: Transaction<I, O>, input: I, deadline?: Deadline): Promise<O>;
  /** The stream of the audit log; undefined: it has none. */
  readonly outlet?: AuditLogOutlet | undefined;
  /** Resolves when the store answers; throws `unavailable` when it does not. */
  ping(): Promise<void>;
  /**
   * Reads again what met a damaged page, and tells its signs where all of it can be read. Throws
   * `unavailable`.
   */
  lookAgain(): Promise<void>;
  /** Undefined where the engine can't tell cheaply what has changed. */
  readonly changes: Changes | undefined;
  /**
   * Counters since the store was opened: durable groups, the transactions in them that were kept,
   * and reads that the disk did not answer.
   */
  stats(): { flushes: number; commits: number; failedReads: number };
  load(): StoreLoad;
  /** The features that the database lacks for the settings, a sentence each; absent: none. */
  readonly warnings?: readonly string[];
  /**
   * How large the log of changes is, in bytes, and when the database last took over what stood in
   * it, in milliseconds since 1970. Undefined where that is the matter of a database server, or
   * can't be found out now.
   */
  log(): { bytes: number; checkpointAt: number | undefined } | undefined;
  /** Finishes what was accepted, then closes. */
  close(): Promise<void>;
}
