import { sql } from "kysely";
import { toTimestamp } from "../../kernel/clock.ts";
import { type Deadline, TimeOver } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { noRoomFailure } from "../no-room.ts";
import { type Statement, statement } from "../statement.ts";
import type { AuditLogOutlet } from "../outlet.ts";
import type { Connection, Storage, StoreSigns, Transaction, WriteEnd } from "../storage.ts";
import { DoubtfulReads, questionName } from "./doubtful-reads.ts";
import { PostgresChanges } from "./postgres-changes.ts";
import { clientOptions, STORE_ID } from "./postgres-client.ts";
import { purgeMarks } from "./postgres-commits.store.ts";
import { connectionOn } from "./postgres-connection.ts";
import {
  codeOf,
  isBusy,
  isConflict,
  isConnectionLoss,
  isDamage,
  isNoRoom,
  isPreparedOnOtherConnection,
  isReadOnly,
  isTableGone,
  OtherStore,
} from "./postgres-errors.ts";
import type { PostgresLimits } from "./postgres-limits.ts";
import { passageWarnings } from "./postgres-pooler.ts";
import { PostgresServers } from "./postgres-servers.ts";
import { SharedLeases } from "./postgres-shared-leases.ts";
import { PostgresTransactions } from "./postgres-transactions.ts";
import { parsePostgresUrl } from "./postgres-url.ts";

/** A table is read too: a number alone the server could give from memory. */
const selectStore = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select(sql<number>`${sql.raw(STORE_ID)}`.as("id"))
    .limit(sql.lit(1))
);

/** Marks are asked for within seconds. */
const MARKS_KEPT_MS = 24 * 60 * 60 * 1000;
/** A statement outside of a transaction is asked so often at the most. */
const READ_ATTEMPTS = 4;

/** A Storage on a migrated PostgreSQL. Throws when no server of the URL takes writes. */
export async function postgresStorage(
  url: string,
  sealer: Sealer,
  limits: PostgresLimits,
  signs: StoreSigns,
  outlet?: AuditLogOutlet,
): Promise<Storage> {
  const doubts = new DoubtfulReads(signs);
  const target = parsePostgresUrl(url);
  const optionsOf = await clientOptions(target, limits);
  let isOver = false;
  const servers = new PostgresServers(target.servers, optionsOf, limits, () => {
    if (isOver) return;
    isOver = true;
    signs.over({ kind: "lost", reason: "the database is not the one that was opened" });
  });
  const refuseIfOver = () => {
    if (isOver) throw new Failure("unavailable", { cause: new OtherStore() });
  };
  const transactions = new PostgresTransactions(servers, sealer, limits.patienceMs, outlet);
  const readerWithin = readerOn(servers, limits.patienceMs, refuseIfOver, doubts);
  const reader = readerWithin();
  let warnings: string[];
  try {
    warnings = passageWarnings(await servers.passage());
    await reader.change(purgeMarks, { before: toTimestamp(Date.now() - MARKS_KEPT_MS) });
  } catch (error) {
    await servers.close();
    throw error;
  }
  // Transactions need one.
  const changes = limits.pool > 1 ? new PostgresChanges(servers) : undefined;
  const commits = new Commits(transactions, signs, doubts, refuseIfOver);
  return {
    reader,
    readerWithin,
    commit: (transaction, input, deadline) => commits.commit(transaction, input, deadline),
    ping: async () => {
      const row = await reader.row(selectStore, {});
      if (Number(row?.id) === servers.storeId) return;
      servers.isOther();
      refuseIfOver();
    },
    load: () => ({ changes: commits.load(), flushes: undefined, pool: servers.load() }),
    log: () => undefined,
    warnings,
    changes,
    lookAgain: () => doubts.lookAgain(),
    // The server groups flushes by itself; seen from here each commit waits for one.
    stats: () => ({ flushes: commits.done, commits: commits.done, failedReads: 0 }),
    close: async () => {
      await commits.close();
      await changes?.close();
      await servers.close();
    },
  };
}

/** The commits of one store: those under way, and what each end says of the store's writing. */
class Commits {
  done = 0;
  #isClosed = false;
  /** Since when, by performance.now(): the oldest first. */
  readonly #underWay = new Map<Promise<unknown>, number>();

  constructor(
    private readonly transactions: PostgresTransactions,
    private readonly signs: StoreSigns,
    private readonly doubts: DoubtfulReads,
    private readonly refuseIfOver: () => void,
  ) {}

  async commit<I, O>(transaction: Transaction<I, O>, input: I, deadline?: Deadline): Promise<O> {
    if (this.#isClosed) throw new Failure("unavailable");
    this.refuseIfOver();
    this.signs.began();
    let how: WriteEnd = "nothing";
    const running = this.transactions.commit(transaction, input, {
      onKept: () => how = "kept",
      deadline,
    });
    this.#underWay.set(running, performance.now());
    try {
      const output = await running;
      this.done++;
      return output;
    } catch (error) {
      how = failedEnd(error);
      this.doubts.noteChange(error);
      throw error;
    } finally {
      this.#underWay.delete(running);
      this.signs.ended(how);
    }
  }

  /** How many are under way, and since how many milliseconds the oldest is. */
  load(): { length: number; oldestMs: number } {
    const [since] = this.#underWay.values();
    const oldestMs = since === undefined ? 0 : performance.now() - since;
    return { length: this.#underWay.size, oldestMs };
  }

  /** Takes no more, and waits for those under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay.keys());
  }
}

/**
 * The effect of a commit's error on the store's write health: none if the transaction itself
 * refused, or if its caller had less time than the store may take.
 */
function failedEnd(error: unknown): WriteEnd {
  if (!(error instanceof Failure) || error.code !== "unavailable") return "nothing";
  if (error.cause instanceof TimeOver && error.cause.byCaller) return "nothing";
  return { failed: codeOf(error.cause) || "no answer" };
}

/**
 * Each statement by itself, asked again where it may not have been answered, unless the time of a
 * call is over meanwhile: use it for what may be done twice.
 */
function readerOn(
  servers: PostgresServers,
  patienceMs: number,
  refuseIfOver: () => void,
  doubts: DoubtfulReads,
): (deadline?: Deadline) => Connection {
  const shared = new SharedLeases(servers);
  const run = async <T>(
    deadline: Deadline | undefined,
    question: (connection: Connection) => Promise<T>,
  ): Promise<T> => {
    refuseIfOver();
    const until = performance.now() + patienceMs;
    for (let attempt = 1;; attempt++) {
      deadline?.check();
      const { lease, end } = await shared.lease();
      try {
        const answer = await question(connectionOn(lease));
        end(false);
        return answer;
      } catch (error) {
        const isLost = isConnectionLoss(error);
        if (isLost || isReadOnly(error)) await servers.failed(lease, error);
        end(isLost);
        if (isTableGone(error)) {
          servers.isOther();
          throw new Failure("unavailable", { cause: error });
        }
        if (isNoRoom(error)) throw noRoomFailure(codeOf(error), error);
        if (isBusy(error)) throw new Failure("unavailable", { cause: error });
        if (isDamage(error)) throw new Failure("store_damaged", { cause: error });
        if (isPreparedOnOtherConnection(error)) servers.stopNaming();
        else if (!isLost && !isReadOnly(error) && !isConflict(error)) throw error;
        if (attempt === READ_ATTEMPTS || performance.now() > until) {
          throw new Failure("unavailable", { cause: error });
        }
      }
    }
  };
  return (deadline) => ({
    dialect: "postgres",
    rows: <P extends object, R>(s: Statement<P, R>, params: P) =>
      doubts.read(
        () => questionName(s, params),
        () => run(deadline, (connection) => connection.rows(s, params)),
      ),
    row: <P extends object, R>(s: Statement<P, R>, params: P) =>
      doubts.read(
        () => questionName(s, params),
        () => run(deadline, (connection) => connection.row(s, params)),
      ),
    change: (s, params) => run(deadline, (connection) => connection.change(s, params)),
  });
}
