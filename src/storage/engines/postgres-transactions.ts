import { toTimestamp } from "../../kernel/clock.ts";
import { type Deadline, outcomeUnknown } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { noRoomFailure } from "../no-room.ts";
import { PendingCounts } from "../pending-counts.ts";
import { type AuditLogOutlet, type ForOutlet, gatherForOutlet, type TxOutlet } from "../outlet.ts";
import type { Transaction } from "../storage.ts";
import { commitSql, giveUpMark, newMark } from "./postgres-commits.store.ts";
import { ask, beginOn, connectionOn, type OpenTransaction } from "./postgres-connection.ts";
import {
  codeOf,
  isBusy,
  isConflict,
  isConnectionLoss,
  isDamage,
  isForeignCommit,
  isNoRoom,
  isPreparedOnOtherConnection,
  isReadOnly,
  isServerProblem,
  isTableGone,
  isUnknownOutcome,
} from "./postgres-errors.ts";
import type { Lease, PostgresServers } from "./postgres-servers.ts";

/** How often a transaction is run in all, when conflicts or lost connections end it. */
const ATTEMPTS = 8;
/** The pause before an attempt is random, up to this times the number of attempts. */
const PAUSE_MS = 10;
/** Before it is asked again while no server takes writes. */
const AWAY_PAUSE_MS = 100;
/**
 * Marks of ended transactions that wait to be taken away; more than that are left to the purge at a
 * start.
 */
const MOST_SETTLED = 10_000;

/**
 * Runs transactions so that each is done once or not at all, and that it is known which, also where
 * the answer to a commit was lost: docs/decisions/0014.
 */
export class PostgresTransactions {
  readonly #servers: PostgresServers;
  readonly #sealer: Sealer;
  readonly #patienceMs: number;
  readonly #outlet: AuditLogOutlet | undefined;
  /** Marks of ended transactions, which no one asks for any more. */
  readonly #settled: string[] = [];

  constructor(
    servers: PostgresServers,
    sealer: Sealer,
    patienceMs: number,
    outlet?: AuditLogOutlet,
  ) {
    this.#servers = servers;
    this.#outlet = outlet;
    this.#sealer = sealer;
    this.#patienceMs = patienceMs;
  }

  /**
   * Throws the Failure that the transaction threw, or `unavailable`; what no one foresaw as it is.
   * `onKept` is called when something that was written is durable. Behind the deadline no statement
   * is begun and nothing committed: it throws once what is under way was answered and ended in
   * order. Throws `audit_stream_behind` of what is kept, where the audit log stream has not taken
   * it.
   */
  async commit<I, O>(
    transaction: Transaction<I, O>,
    input: I,
    { onKept = () => {}, deadline }: { onKept?: () => void; deadline?: Deadline | undefined } = {},
  ): Promise<O> {
    const time = this.#time(deadline);
    for (let attempt = 1;; attempt++) {
      const lease = attempt === 1 ? await this.#servers.lease() : await this.#leaseWithin(time);
      const result = await this.#attempt(lease, transaction, input, time);
      if ("output" in result) {
        if (result.wrote) onKept();
        if (result.forOutlet) await this.#outlet?.take(result.forOutlet);
        return result.output;
      }
      const { error } = result;
      if (error instanceof Failure) throw error;
      if (isTableGone(error) || isForeignCommit(error)) {
        this.#servers.isOther();
        throw new Failure("unavailable", { cause: error });
      }
      if (isNoRoom(error)) throw noRoomFailure(codeOf(error), error);
      if (isBusy(error) || isServerProblem(error)) {
        throw new Failure("unavailable", { cause: error });
      }
      if (isDamage(error)) throw new Failure("store_damaged", { cause: error });
      const isPreparedOnOther = isPreparedOnOtherConnection(error);
      if (isPreparedOnOther) this.#servers.stopNaming();
      else if (!isConflict(error) && !isConnectionLoss(error) && !isReadOnly(error)) throw error;
      if (attempt === ATTEMPTS || time.isOver()) {
        throw new Failure("unavailable", { cause: error });
      }
      await pause(Math.random() * PAUSE_MS * attempt);
    }
  }

  /**
   * Resolves with the output of what is committed, or with the error of what is not and never will
   * be.
   */
  async #attempt<I, O>(
    lease: Lease,
    transaction: Transaction<I, O>,
    input: I,
    time: Time,
  ): Promise<{ output: O; wrote: boolean; forOutlet: ForOutlet | undefined } | { error: unknown }> {
    const { deadline } = time;
    const begun = beginOn(lease, deadline);
    let output: O;
    const gathering = this.#outlet &&
      gatherForOutlet(this.#outlet.takes, transaction.withoutStream ?? false);
    try {
      output = await this.#outputOf(begun, transaction, input, gathering);
      deadline?.check();
    } catch (thrown) {
      // After the first statement that fails the server refuses the others.
      begun.end();
      const error = await begun.settled() ?? thrown;
      await this.#rollBack(lease, error);
      return { error };
    }
    begun.end();
    const wrote = begun.wrote();
    const mark = wrote ? newMark() : undefined;
    const end = () => this.#end(lease, begun, mark, time);
    const kept = await (deadline && wrote ? deadline.committing(end) : end());
    return "error" in kept ? kept : { output, wrote, forOutlet: gathering?.gathered() };
  }

  /** Commits what was begun, and finds out whether that was done. */
  async #end(
    lease: Lease,
    begun: OpenTransaction,
    mark: string | undefined,
    time: Time,
  ): Promise<{ error: unknown } | Record<never, never>> {
    try {
      const isCertain = await this.#commit(lease, mark);
      lease.release();
      // A statement that the driver could not even send: the server knew nothing of it when it
      // committed.
      const unsent = await begun.settled();
      if (unsent !== undefined) return { error: new Error("not all was sent", { cause: unsent }) };
      if (isCertain || mark === undefined) return {};
    } catch (thrown) {
      const error = await begun.settled() ?? thrown;
      await this.#rollBack(lease, error);
      if (!isUnknownOutcome(error) || mark === undefined) return { error };
      return await this.#wasKept(mark, time.deadline) ? {} : { error };
    }
    return await this.#wasKept(mark, time.deadline)
      ? {}
      : { error: new Error("connection closed") };
  }

  async #outputOf<I, O>(
    begun: OpenTransaction,
    transaction: Transaction<I, O>,
    input: I,
    outlet: TxOutlet | undefined,
  ): Promise<O> {
    const counts = new PendingCounts();
    const output = await transaction.run({ ...begun, sealer: this.#sealer, counts, outlet }, input);
    // With the commit right behind, however far away the server is, counters are held for its flush
    // alone.
    await counts.apply(begun);
    return output;
  }

  /**
   * True: it is durable. False: the server committed and warned, which it does when a person has
   * ended its wait for the standby: then another commit must show that the standby has it.
   */
  async #commit(lease: Lease, mark: string | undefined): Promise<boolean> {
    const settled = mark === undefined ? undefined : this.#settled.pop();
    const text = mark === undefined
      ? "commit"
      : commitSql(mark, settled, toTimestamp(Date.now()), this.#servers.storeId);
    try {
      const [result, warned] = await noticing(
        lease,
        // The server itself sets a commit no limit: it waits for its standby for as long as there
        // is none.
        () => ask(lease, (): Promise<unknown> => lease.client.query(text), this.#patienceMs),
      );
      const last = Array.isArray(result) ? result.at(-1) : result;
      // A transaction that failed before answers to `commit` that it was rolled back.
      if (last?.command !== "COMMIT") throw new Error("the transaction was rolled back");
      // One that is still to be asked for must stay: without it, it would read as not committed.
      if (mark !== undefined && !warned) this.#settle(mark);
      return !warned;
    } catch (error) {
      if (settled !== undefined) this.#settle(settled);
      throw error;
    }
  }

  /** The mark may be taken away. */
  #settle(mark: string): void {
    if (this.#settled.length < MOST_SETTLED) this.#settled.push(mark);
  }

  async #rollBack(lease: Lease, error: unknown): Promise<void> {
    if (isConnectionLoss(error)) {
      await this.#servers.failed(lease, error);
      return lease.discard();
    }
    try {
      await ask(lease, () => lease.client.query("rollback"));
      if (isReadOnly(error)) await this.#servers.failed(lease, error);
      lease.release();
    } catch {
      lease.discard();
    }
  }

  /**
   * Whether the transaction that left this mark was committed; if not, it never will be. Throws
   * `unavailable` where that can't be found out in time: then the caller does not know either, and
   * must look.
   */
  async #wasKept(mark: string, deadline: Deadline | undefined): Promise<boolean> {
    const time = this.#time(deadline);
    for (;;) {
      const lease = await this.#leaseWithin(time).catch((error) => {
        throw outcomeUnknown(error);
      });
      try {
        const asked = { id: mark, at: toTimestamp(Date.now()) };
        const [row, warned] = await noticing(
          lease,
          () => connectionOn(lease, this.#patienceMs).row(giveUpMark, asked),
        );
        if (warned) throw new NotDurable();
        lease.release();
        this.#settle(mark);
        return row?.kept === 1;
      } catch (error) {
        await this.#servers.failed(lease, error);
        lease.discard();
        if (isPreparedOnOtherConnection(error)) this.#servers.stopNaming();
        const mayPass = error instanceof NotDurable || isConflict(error) || isBusy(error) ||
          isConnectionLoss(error) || isReadOnly(error) || isPreparedOnOtherConnection(error);
        if (!mayPass || time.isOver()) throw outcomeUnknown(error);
      }
      await pause(Math.random() * AWAY_PAUSE_MS);
    }
  }

  async #leaseWithin(time: Time): Promise<Lease> {
    for (;;) {
      try {
        return await this.#servers.lease();
      } catch (error) {
        if (time.isOver()) throw error;
        await pause(AWAY_PAUSE_MS);
      }
    }
  }

  /** From now on: the call's, or the patience where no call waits. */
  #time(deadline: Deadline | undefined): Time {
    const until = performance.now() + this.#patienceMs;
    return { deadline, isOver: () => deadline?.isOver || performance.now() > until };
  }
}

/**
 * For how long a transaction is tried again; the statements of one that no call waits for have
 * their own limits alone.
 */
interface Time {
  readonly deadline: Deadline | undefined;
  isOver(): boolean;
}

/** A commit that the server warned about: its standby may not have it. */
class NotDurable extends Error {}

/** Whether the server had something to say meanwhile, beside the answer. */
async function noticing<T>({ client }: Lease, work: () => Promise<T>): Promise<[T, boolean]> {
  let warned = false;
  const listen = () => void (warned = true);
  client.on("notice", listen);
  try {
    return [await work(), warned];
  } finally {
    client.off("notice", listen);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
