import { Failure, type FailureData, toFailureData } from "../../kernel/failure.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { PendingCounts } from "../pending-counts.ts";
import type { Transaction, Tx } from "../storage.ts";
import { asFailure, isBusy, SqliteConnection } from "./sqlite-connection.ts";

/** One transaction to run, as it crosses to the writer's thread, which makes a copy of it. */
export interface Job {
  transaction: string;
  /** Cloned on the way, which costs half of what writing and parsing it as JSON does. */
  input: unknown;
}

/** How one job ended. `trace` is the internal text of an error that nobody foresaw; it is for the log alone. */
export type Outcome =
  | { ok: true; output: unknown }
  | { ok: false; failure: FailureData; trace?: string };

/** How long a group waits for another process's lock before its jobs are answered `unavailable`. */
const LOCK_PATIENCE_MS = 8000;

/**
 * Runs groups of transactions on one SQLite file: a group is one durable commit, and in it each job is done whole
 * or not at all. Outcomes are given only after the commit; when the commit fails, every job of the group failed.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection;
  readonly #transactions: ReadonlyMap<string, Transaction<never, unknown>>;
  readonly #sealer: Sealer;

  constructor(
    path: string,
    transactions: readonly Transaction<never, unknown>[],
    sealer: Sealer,
  ) {
    this.#connection = SqliteConnection.openWriter(path);
    this.#connection.setLockTimeout(0);
    this.#transactions = new Map(transactions.map((t) => [t.id, t]));
    this.#sealer = sealer;
  }

  /**
   * Runs one group. Never throws: what went wrong stands in the outcomes. `onFlush` is called when all of its jobs
   * have run and their commit begins; not at all when something fails before.
   */
  async commitGroup(jobs: readonly Job[], onFlush: () => void): Promise<Outcome[]> {
    try {
      return await this.#commitTogether(jobs, onFlush) ?? await this.#commitApart(jobs, onFlush);
    } catch (error) {
      this.#rollback();
      const known = asFailure(error);
      const failure = toFailureData(known instanceof Failure ? known : new Failure("unavailable"));
      return jobs.map(() => ({ ok: false, failure, trace: traceOf(error) }));
    }
  }

  close(): void {
    this.#connection.close();
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + LOCK_PATIENCE_MS;
    while (true) {
      try {
        return this.#connection.exec("begin immediate");
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      }
    }
  }

  /**
   * Without savepoints, which double the cost of each write: SQLite keeps the old copy of every page that is
   * touched after one. Undefined, and nothing done, when a job failed after it had written.
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
      // An error that nobody foresaw may have ended the whole transaction.
      if (!outcome.ok && (wrote || outcome.trace !== undefined)) {
        this.#rollback();
        return undefined;
      }
      outcomes.push(outcome);
    }
    await counts.apply(this.#connection);
    onFlush();
    this.#connection.exec("commit");
    return outcomes;
  }

  /** Each job in a savepoint of its own, so that one that fails takes nobody along. */
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
    await counts.apply(this.#connection);
    onFlush();
    this.#connection.exec("commit");
    return outcomes;
  }

  async #run(job: Job, counts: PendingCounts): Promise<Outcome> {
    let ended = false;
    // A job whose outcome stands must write nothing more: it would be into another's transaction.
    const connection = () => {
      if (ended) throw new Error("the transaction has ended");
      return this.#connection;
    };
    const tx: Tx = {
      dialect: this.#connection.dialect,
      rows: (statement, params) => connection().rows(statement, params),
      row: (statement, params) => connection().row(statement, params),
      change: (statement, params) => connection().change(statement, params),
      send: (statement, params) => connection().send(statement, params),
      sealer: this.#sealer,
      counts,
    };
    try {
      const transaction = this.#transactions.get(job.transaction);
      if (!transaction) throw new Error(`unknown transaction ${job.transaction}`);
      // as: the caller's `commit` bound this input to this transaction's type.
      const output = await transaction.run(tx, job.input as never);
      return { ok: true, output };
    } catch (error) {
      const told = asFailure(error);
      const failure = toFailureData(told);
      return told !== error || failure.code === "internal"
        ? { ok: false, failure, trace: traceOf(error) }
        : { ok: false, failure };
    } finally {
      ended = true;
    }
  }

  #rollback(): void {
    try {
      this.#connection.exec("rollback");
    } catch {
      // SQLite has rolled back by itself already.
    }
  }
}

function traceOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
