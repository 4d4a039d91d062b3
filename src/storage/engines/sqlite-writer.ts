import { Failure, type FailureData, toFailureData } from "../../kernel/failure.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { type ForOutlet, gatherForOutlet } from "../outlet.ts";
import { noRoomFailure, SQLITE_NO_ROOM } from "../no-room.ts";
import { PendingCounts } from "../pending-counts.ts";
import type { StoreEnd, Transaction, Tx } from "../storage.ts";
import type { Part } from "../touched-rows.ts";
import { attemptWrite } from "../write-attempt.transactions.ts";
import { asFailure, isBusy, SqliteConnection } from "./sqlite-connection.ts";
import { isFailedWrite, isNoRoom, sqliteCodeOf } from "./sqlite-errors.ts";
import { openWithFiles, type SqliteFiles } from "./sqlite-files.ts";
import { type LogLimits, SqliteLogCare } from "./sqlite-log-care.ts";
import { SqliteReserve } from "./sqlite-reserve.ts";

/** One transaction to run, as it crosses to the writer's thread, which makes a copy of it. */
export interface Job {
  transaction: string;
  /** Cloned on the way, which costs half of what writing and parsing it as JSON does. */
  input: unknown;
  /** Whether the audit log stream takes rows; absent: there is none. */
  outlet?: "takes" | "away";
}

/**
 * How one job ended. `trace` is the internal text of an error that no one foresaw; it is for the
 * log alone. `code` is the engine's, where the store could not write.
 */
export type Outcome =
  | { ok: true; output: unknown; forOutlet?: ForOutlet }
  | { ok: false; failure: FailureData; trace?: string; code?: string | undefined };

/**
 * How a group ended: each of its jobs, whether anything was written, and why nothing more will be,
 * if so.
 */
export interface GroupEnd {
  outcomes: Outcome[];
  wrote: boolean;
  over?: StoreEnd | undefined;
  /** The parts of cached answers that it may have changed, whether it was kept or not. */
  touched: readonly Part[];
  /** The disk has no room: nothing is written but what may take its reserve. */
  lacksRoom: boolean;
  /** Why the database does not take over its log; undefined where it does. */
  logKeptBack?: string | undefined;
}

/** How long a group waits for another process's lock before its jobs are answered `unavailable`. */
const LOCK_PATIENCE_MS = 8000;

/**
 * Runs groups of transactions on one SQLite file: a group is one durable commit, and in it each job
 * is done whole or not at all. Outcomes are given only after the commit; when the commit fails,
 * every job of the group failed.
 *
 * An acknowledged change was, at a moment after its commit, in the files at the store's path. If
 * other files are there, or the disk did not write the data, no change is kept any more.
 *
 * If the disk is full its reserve is given up, a piece whenever one is needed, and from then on
 * only transactions `withoutRoom` are run, until the reserve could be made again, which each
 * attempt to write tries.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection;
  readonly #transactions: ReadonlyMap<string, Transaction<never, unknown>>;
  readonly #sealer: Sealer;
  readonly #files: SqliteFiles;
  readonly #reserve: SqliteReserve;
  readonly #logCare: SqliteLogCare;
  #lacksRoom = false;
  #over: StoreEnd | undefined;
  /** By which a connection tells that another has committed; its own commits leave it alone. */
  #version: number;
  /**
   * The error of the store for a job of this group; SQLite may have ended the transaction by it,
   * and reports only that.
   */
  #refusal: unknown;

  /**
   * `makesReserve`: sets aside what is given up at a full disk; without it what is there is given
   * up all the same. `logLimits`: when its log is looked at.
   */
  constructor(
    path: string,
    transactions: readonly Transaction<never, unknown>[],
    sealer: Sealer,
    makesReserve = false,
    logLimits?: LogLimits,
  ) {
    const { opened, files } = openWithFiles(path, () => SqliteConnection.openWriter(path));
    this.#connection = opened;
    this.#files = files;
    this.#connection.setLockTimeout(0);
    this.#reserve = new SqliteReserve(path);
    this.#logCare = new SqliteLogCare({
      bytes: () => logBytesOf(files),
      takeOver: () => opened.takeOverLog(),
    }, logLimits);
    try {
      this.#emptyLog();
    } catch (error) {
      this.#connection.close();
      throw error;
    }
    if (makesReserve) this.#makeReserve();
    this.#version = this.#connection.dataVersion();
    this.#transactions = new Map(transactions.map((t) => [t.id, t]));
    this.#sealer = sealer;
  }

  /** Whether only transactions `withoutRoom` are run. */
  get lacksRoom(): boolean {
    return this.#lacksRoom;
  }

  /**
   * An attempt: what is in the log is on the disk already, and stays there where the database can't
   * grow.
   */
  #emptyLog(): void {
    for (;;) {
      try {
        return this.#connection.emptyLog();
      } catch (error) {
        if (!isNoRoom(sqliteCodeOf(error))) throw error;
        this.#lacksRoom = true;
        if (!this.#reserve.giveUp()) return;
      }
    }
  }

  /**
   * One that was given up and can't be had again says that there was no room before the start, and
   * is none yet.
   */
  #makeReserve(): void {
    const before = this.#reserve.state();
    if (this.#lacksRoom || before === "whole") return;
    const isMade = this.#reserve.make();
    this.#lacksRoom = !isMade && before === "given up";
  }

  /**
   * Runs one group. Never throws: what went wrong is in the outcomes. `onFlush` is called when all
   * of its jobs have run and their commit begins; not at all when something fails before.
   */
  async commitGroup(jobs: readonly Job[], onFlush: () => void): Promise<GroupEnd> {
    this.#connection.touched.clear();
    const { outcomes, ...end } = await this.#commitGroup(jobs, onFlush);
    const touched = [...this.#connection.touched];
    const logKeptBack = this.#over ? undefined : this.#logCare.look();
    return { outcomes, ...end, touched, lacksRoom: this.#lacksRoom, logKeptBack };
  }

  /**
   * Whether another connection has committed to the file since this was last asked, or since it was
   * opened.
   */
  othersWrote(): boolean {
    const before = this.#version;
    this.#version = this.#connection.dataVersion();
    return this.#version !== before;
  }

  async #commitGroup(
    jobs: readonly Job[],
    onFlush: () => void,
  ): Promise<End> {
    if (this.#over) return this.#end(this.#over, jobs);
    if (this.#lacksRoom) return await this.#commitUrgent(jobs, onFlush);
    const end = await this.#commitAll(jobs, onFlush);
    // Given up by another process, it is for the same.
    if (!isFull(end) || !this.#reserve.giveUp() && this.#reserve.state() !== "given up") return end;
    this.#lacksRoom = true;
    return await this.#commitUrgent(jobs, onFlush);
  }

  /**
   * Runs what may take the reserve; the rest is answered as a full disk does. An attempt takes none
   * of it: one is made each second, for as long as the disk is full.
   */
  async #commitUrgent(jobs: readonly Job[], onFlush: () => void): Promise<End> {
    const isAttempt = jobs.some(({ transaction }) => transaction === attemptWrite.id);
    if (isAttempt && this.#reserve.make()) {
      const end = await this.#commitAll(jobs, onFlush);
      this.#lacksRoom = isFull(end);
      if (this.#lacksRoom) this.#reserve.giveUp();
      return end;
    }
    const isUrgent = ({ transaction }: Job) =>
      this.#transactions.get(transaction)?.withoutRoom === true;
    const urgent = jobs.filter(isUrgent);
    const mayTake = urgent.some(({ transaction }) => transaction !== attemptWrite.id);
    let end: End = { outcomes: [], wrote: false };
    do {
      if (urgent.length > 0) end = await this.#commitAll(urgent, onFlush);
    } while (mayTake && isFull(end) && !end.wrote && this.#reserve.giveUp());
    const kept = end.outcomes.values();
    const outcomes = jobs.map((job) =>
      (isUrgent(job) ? kept.next().value : undefined) ?? NO_ROOM_LEFT
    );
    return { ...end, outcomes };
  }

  async #commitAll(jobs: readonly Job[], onFlush: () => void): Promise<End> {
    const before = this.#connection.changed;
    this.#refusal = undefined;
    let outcomes: Outcome[];
    try {
      outcomes = await this.#commitTogether(jobs, onFlush) ??
        await this.#commitApart(jobs, onFlush);
    } catch (thrown) {
      this.#rollback();
      const error = this.#refusal ?? thrown;
      const known = asFailure(error);
      const failure = toFailureData(known instanceof Failure ? known : new Failure("unavailable"));
      const forOutlet = { trace: traceOf(error), code: sqliteCodeOf(error) ?? "unknown" };
      outcomes = jobs.map(() => ({ ok: false, failure, ...forOutlet }));
    }
    const untrusted = outcomes.find((one) => !one.ok && isFailedWrite(one.code));
    if (untrusted && !untrusted.ok) {
      return this.#end({ kind: "untrusted", reason: `${untrusted.code} (EIO)` }, jobs);
    }
    const kept = outcomes.some(({ ok }) => ok);
    const lost = kept ? this.#files.lost() : undefined;
    if (lost !== undefined) return this.#end({ kind: "lost", reason: lost }, jobs);
    return { outcomes, wrote: kept && this.#connection.changed > before };
  }

  /** Whatever of the group was committed is answered as not done: no one can rely on it. */
  #end(over: StoreEnd, jobs: readonly Job[]): End {
    this.#over = over;
    const failure = toFailureData(new Failure("unavailable"));
    const forOutlet = { trace: `${over.kind}: ${over.reason}`, code: over.kind };
    return { outcomes: jobs.map(() => ({ ok: false, failure, ...forOutlet })), wrote: false, over };
  }

  close(): void {
    this.#connection.close();
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + LOCK_PATIENCE_MS;
    while (true) {
      try {
        return this.#connection.control("begin immediate");
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      }
    }
  }

  /**
   * Without savepoints, which double the cost of each write: SQLite keeps the old copy of every
   * page that is touched after one. Undefined, and nothing done, when a job failed after it had
   * written.
   */
  async #commitTogether(
    jobs: readonly Job[],
    onFlush: () => void,
  ): Promise<Outcome[] | undefined> {
    await this.#begin();
    const counts = new PendingCounts();
    const outcomes: Outcome[] = [];
    for (const job of jobs) {
      const before = this.#connection.writes + counts.additions;
      const outcome = await this.#run(job, counts);
      const wrote = this.#connection.writes + counts.additions > before;
      // An error that no one foresaw may have ended the whole transaction.
      if (!outcome.ok && (wrote || outcome.trace !== undefined)) {
        this.#rollback();
        return undefined;
      }
      outcomes.push(outcome);
    }
    this.#connection.requireTransaction();
    await counts.apply(this.#connection);
    onFlush();
    this.#connection.control("commit");
    return outcomes;
  }

  /** Each job in a savepoint of its own, so that one that fails takes no one along. */
  async #commitApart(jobs: readonly Job[], onFlush: () => void): Promise<Outcome[]> {
    await this.#begin();
    const counts = new PendingCounts();
    const outcomes: Outcome[] = [];
    for (const job of jobs) {
      this.#connection.exec("savepoint job");
      const own = new PendingCounts(counts);
      const outcome = await this.#run(job, own);
      if (outcome.ok) counts.addAll(own);
      this.#connection.exec(outcome.ok ? "release job" : "rollback to job; release job");
      outcomes.push(outcome);
    }
    this.#connection.requireTransaction();
    await counts.apply(this.#connection);
    onFlush();
    this.#connection.control("commit");
    return outcomes;
  }

  async #run(job: Job, counts: PendingCounts): Promise<Outcome> {
    let ended = false;
    // A job whose outcome stands must write nothing more: it would be into another's transaction.
    const connection = () => {
      if (ended) throw new Error("the transaction has ended");
      return this.#connection;
    };
    const transaction = this.#transactions.get(job.transaction);
    const outlet = job.outlet &&
      gatherForOutlet(job.outlet === "takes", transaction?.withoutStream ?? false);
    const tx: Tx = {
      dialect: this.#connection.dialect,
      rows: (statement, params) => connection().rows(statement, params),
      row: (statement, params) => connection().row(statement, params),
      change: (statement, params) => connection().change(statement, params),
      send: (statement, params) => connection().send(statement, params),
      sealer: this.#sealer,
      counts,
      outlet,
    };
    try {
      if (!transaction) throw new Error(`unknown transaction ${job.transaction}`);
      // as: the caller's `commit` bound this input to this transaction's type.
      const output = await transaction.run(tx, job.input as never);
      const forOutlet = outlet?.gathered();
      return forOutlet ? { ok: true, output, forOutlet } : { ok: true, output };
    } catch (error) {
      const forOutlet = asFailure(error);
      const failure = toFailureData(forOutlet);
      if (forOutlet !== error && failure.code === "unavailable") {
        this.#refusal = error;
        const code = sqliteCodeOf(error) ?? "unknown";
        return { ok: false, failure, trace: traceOf(error), code };
      }
      return forOutlet !== error || failure.code === "internal"
        ? { ok: false, failure, trace: traceOf(error) }
        : { ok: false, failure };
    } finally {
      ended = true;
    }
  }

  #rollback(): void {
    try {
      this.#connection.rollback();
    } catch {
      // A transaction that could not be rolled back is no longer open either.
    }
  }
}

function logBytesOf(files: SqliteFiles): number | undefined {
  try {
    return files.log().bytes;
  } catch {
    return undefined;
  }
}

type End = Omit<GroupEnd, "touched" | "lacksRoom" | "logKeptBack">;

const isFull = ({ outcomes }: End) => outcomes.some((one) => !one.ok && isNoRoom(one.code));

const NO_ROOM_LEFT: Outcome = {
  ok: false,
  failure: toFailureData(noRoomFailure(SQLITE_NO_ROOM)),
  code: SQLITE_NO_ROOM,
};

function traceOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
