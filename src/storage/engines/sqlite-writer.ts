import { Failure, type FailureData, toFailureData } from "../../lib/failure.ts";
import type { Sealer } from "../../sealing/sealer.ts";
import type { Transaction, Tx } from "../storage.ts";
import { isBusy, SqliteConnection } from "./sqlite-connection.ts";

/** One transaction to run, as it crosses to the writer's thread: by name, and its input as JSON text. */
export interface Job {
  transaction: string;
  /** One text crosses several times faster than the same object. */
  input: string;
}

/** How one job ended. `trace` is the internal text of an error that nobody foresaw; it is for the log alone. */
export type Outcome =
  | { ok: true; output: unknown }
  | { ok: false; failure: FailureData; trace?: string };

/** How long a group waits for another process's lock before its jobs are answered `unavailable`. */
const LOCK_PATIENCE_MS = 8000;

/**
 * Runs groups of transactions on one SQLite file: a group is one durable commit, each job in it has its own
 * savepoint. Outcomes are given only after the commit; when the commit fails, every job of the group failed.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection;
  readonly #transactions: ReadonlyMap<string, Transaction<never, unknown>>;
  readonly #tx: Tx;

  constructor(
    path: string,
    transactions: readonly Transaction<never, unknown>[],
    sealer: Sealer,
  ) {
    this.#connection = SqliteConnection.openWriter(path);
    this.#connection.setLockTimeout(0);
    this.#transactions = new Map(transactions.map((t) => [t.id, t]));
    this.#tx = {
      dialect: this.#connection.dialect,
      rows: (statement, params) => this.#connection.rows(statement, params),
      row: (statement, params) => this.#connection.row(statement, params),
      change: (statement, params) => this.#connection.change(statement, params),
      sealer,
    };
  }

  /** Runs one group. Never throws: what went wrong stands in the outcomes. */
  async commitGroup(jobs: readonly Job[]): Promise<Outcome[]> {
    try {
      await this.#begin();
      const outcomes: Outcome[] = [];
      for (const job of jobs) outcomes.push(await this.#runInSavepoint(job));
      this.#connection.exec("commit");
      return outcomes;
    } catch (error) {
      this.#rollback();
      const failure = toFailureData(new Failure("unavailable"));
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

  async #runInSavepoint(job: Job): Promise<Outcome> {
    this.#connection.exec("savepoint job");
    try {
      const transaction = this.#transactions.get(job.transaction);
      if (!transaction) throw new Error(`unknown transaction ${job.transaction}`);
      // as: the caller's `commit` bound this input to this transaction's type.
      const output = await transaction.run(this.#tx, JSON.parse(job.input) as never);
      this.#connection.exec("release job");
      return { ok: true, output };
    } catch (error) {
      this.#connection.exec("rollback to job; release job");
      const failure = toFailureData(error);
      return failure.code === "internal"
        ? { ok: false, failure, trace: traceOf(error) }
        : { ok: false, failure };
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
