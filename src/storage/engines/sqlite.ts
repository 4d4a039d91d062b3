import { sql } from "kysely";
import type { Deadline } from "../../kernel/deadline.ts";
import { Failure } from "../../kernel/failure.ts";
import { Sealer } from "../../kernel/sealing/sealer.ts";
import type { SealingKeys } from "../../kernel/sealing/sealing-keys.ts";
import { Turns } from "../../kernel/turns.ts";
import { statement } from "../statement.ts";
import type {
  Connection,
  Storage,
  StoreEnd,
  StoreSigns,
  Transaction,
  WriteEnd,
} from "../storage.ts";
import type { AuditLogOutlet } from "../outlet.ts";
import { DoubtfulReads, isDamage, questionName } from "./doubtful-reads.ts";
import { GroupQueue } from "./group-queue.ts";
import { SqliteChanges } from "./sqlite-changes.ts";
import { asFailure, SqliteConnection } from "./sqlite-connection.ts";
import { isFailedRead, sqliteCodeOf } from "./sqlite-errors.ts";
import type { LogLimits } from "./sqlite-log-care.ts";
import { openWithFiles } from "./sqlite-files.ts";
import { EVERYTHING, type Part } from "../touched-rows.ts";
import { type GroupEnd, type Job, SqliteWriter } from "./sqlite-writer.ts";

/**
 * The port for an SQLite store's writes: a thread of its own in the server, the calling thread in
 * tests and tools.
 */
export interface WriterPort {
  /** Whether the disk had no room when it was opened. */
  readonly lacksRoom: boolean;
  /** Groups are committed in the order of the calls, one after another. */
  commitGroup(jobs: readonly Job[], onFlush: () => void): Promise<GroupEnd>;
  /**
   * Whether another connection than the writer's has committed since this was last asked, or since
   * the opening.
   */
  othersWrote(): Promise<boolean>;
  close(): Promise<void>;
}

const selectOne = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select("version").limit(sql.lit(1))
);

/** How often it is looked whether the files are still at their places, beside each commit. */
const LOOK_MS = 250;

/** A Storage over a migrated SQLite file: reads on this thread, writes by `writer` in groups. */
export function sqliteStorage(
  path: string,
  writer: WriterPort,
  signs: StoreSigns,
  outlet?: AuditLogOutlet,
): Storage {
  const { opened: connection, files } = openWithFiles(
    path,
    () => SqliteConnection.openReader(path),
  );
  const changes = new SqliteChanges(connection, () => writer.othersWrote());
  const { queue, end } = groupsOf(writer, changes, signs, outlet);
  let failedReads = 0;
  const doubts = new DoubtfulReads(signs);
  const failureOf = (error: unknown): unknown => {
    if (isFailedRead(sqliteCodeOf(error))) failedReads++;
    return asFailure(error);
  };
  const reader = answering(connection, failureOf, doubts);
  const look = setInterval(() => {
    const reason = files.lost();
    if (reason !== undefined) end({ kind: "lost", reason });
  }, LOOK_MS);
  Deno.unrefTimer(look);
  return {
    reader,
    commit: async <I, O>(transaction: Transaction<I, O>, input: I, deadline?: Deadline) => {
      const job: Job = { transaction: transaction.id, input };
      if (outlet) job.outlet = outlet.takes ? "takes" : "away";
      try {
        // as: the writer answers with what this transaction's `run` returned.
        return await submitted(queue, job, deadline) as O;
      } catch (error) {
        doubts.noteChange(error);
        throw error;
      }
    },
    ping: async () => {
      await reader.row(selectOne, {});
    },
    changes: {
      mark: () => changes.mark(),
      holds: (mark, parts) => {
        try {
          return changes.holds(mark, parts);
        } catch (thrown) {
          const error = failureOf(thrown);
          doubts.noteRead(error, "changes", () => reader.row(selectOne, {}));
          throw error;
        }
      },
    },
    lookAgain: () => doubts.lookAgain(),
    stats: () => ({ flushes: queue.flushes, commits: queue.commits, failedReads }),
    load: () => {
      const { length, since } = queue.line;
      const oldestMs = since === undefined ? 0 : performance.now() - since;
      return { changes: { length, oldestMs }, flushes: queue.flushTimes, pool: undefined };
    },
    log: () => {
      try {
        return files.log();
      } catch {
        return undefined;
      }
    },
    close: async () => {
      await queue.close();
      clearInterval(look);
      connection.close();
      await writer.close();
    },
  };
}

/** Commits groups by `writer`, and tells what each says of the store. `end`: the store is over. */
function groupsOf(
  writer: WriterPort,
  changes: SqliteChanges,
  signs: StoreSigns,
  outlet: AuditLogOutlet | undefined,
): { queue: GroupQueue; end(over: StoreEnd | undefined): void } {
  let isOver = false;
  const end = (over: StoreEnd | undefined) => {
    if (over === undefined || isOver) return;
    isOver = true;
    signs.over(over);
  };
  const reportRoom = whereNew(false, (lacks) => signs.room(lacks));
  const reportLog = whereNew<string | undefined>(undefined, (reason) => signs.log(reason));
  reportRoom(writer.lacksRoom);
  const queue = new GroupQueue(async (jobs, onFlush) => {
    if (isOver) throw new Failure("unavailable");
    signs.began();
    let how: WriteEnd = { failed: "unknown" };
    let touched: readonly Part[] = [EVERYTHING];
    try {
      const group = await writer.commitGroup(jobs, onFlush);
      how = endOf(group);
      touched = group.touched;
      end(group.over);
      reportRoom(group.lacksRoom);
      reportLog(group.logKeptBack);
      return group.outcomes;
    } finally {
      changes.changed(touched);
      signs.ended(how);
    }
  }, outlet);
  return { queue, end };
}

/** Tells a value where it is another than the one before. */
function whereNew<Value>(first: Value, report: (value: Value) => void): (value: Value) => void {
  let before = first;
  return (value) => {
    if (value === before) return;
    before = value;
    report(value);
  };
}

/**
 * The outcome of a change. One that met a damaged page kept nothing, and is tried once more: it may
 * have been a disk that did not answer once.
 */
function submitted(queue: GroupQueue, job: Job, deadline?: Deadline): Promise<unknown> {
  const submit = async () => await queue.submit(job);
  return (deadline ? deadline.committing(submit) : submit()).catch((error) => {
    if (!isDamage(error)) throw error;
    return queue.submit(job);
  });
}

/**
 * The effect of a group's end on the store's health: that it can't write counts only if no other
 * job could be written.
 */
function endOf({ outcomes, wrote }: GroupEnd): WriteEnd {
  if (wrote) return "kept";
  const failed = outcomes.find((one) => !one.ok && one.code !== undefined);
  return failed && !failed.ok && failed.code !== undefined ? { failed: failed.code } : "nothing";
}

/**
 * The connection, with what it throws as `failureOf` gives it. It answers at once, so anyone who
 * asks again and again, such as for the pages of an export, waits for its turn: else no one else
 * would have one before the last page.
 */
function answering(
  connection: SqliteConnection,
  failureOf: (error: unknown) => unknown,
  doubts: DoubtfulReads,
): Connection {
  const turns = new Turns();
  const inTurn = async <T>(ask: () => Promise<T>): Promise<T> => {
    const turn = turns.next();
    if (turn) await turn;
    try {
      return await ask();
    } catch (error) {
      throw failureOf(error);
    }
  };
  return {
    dialect: connection.dialect,
    rows: (statement, params) =>
      doubts.read(
        () => questionName(statement, params),
        () => inTurn(() => connection.rows(statement, params)),
      ),
    row: (statement, params) =>
      doubts.read(
        () => questionName(statement, params),
        () => inTurn(() => connection.row(statement, params)),
      ),
    change: (statement, params) => inTurn(() => connection.change(statement, params)),
  };
}

/** A writer on the calling thread. */
export function localWriter(
  path: string,
  transactions: readonly Transaction<never, unknown>[],
  keys: SealingKeys,
  logLimits?: LogLimits,
): WriterPort {
  const writer = new SqliteWriter(path, transactions, new Sealer(keys), false, logLimits);
  let before: Promise<unknown> = Promise.resolve();
  return {
    lacksRoom: writer.lacksRoom,
    commitGroup: (jobs, onFlush) => {
      const outcomes = before.then(() => writer.commitGroup(jobs, onFlush));
      before = outcomes;
      return outcomes;
    },
    othersWrote: () => before.then(() => writer.othersWrote()),
    close: () => Promise.resolve(writer.close()),
  };
}
