import { sql } from "kysely";
import { Failure } from "../../lib/failure.ts";
import { Sealer } from "../../sealing/sealer.ts";
import type { SealingKeys } from "../../sealing/sealing-keys.ts";
import { statement } from "../statement.ts";
import type { Connection, Storage, Transaction } from "../storage.ts";
import { GroupQueue } from "./group-queue.ts";
import { ChangeMark } from "./sqlite-change-mark.ts";
import { isStoreTrouble, SqliteConnection } from "./sqlite-connection.ts";
import { WalIndex } from "./sqlite-wal-index.ts";
import { type Job, type Outcome, SqliteWriter } from "./sqlite-writer.ts";

/** Where an SQLite store's writes run: a thread of its own in the server, the calling thread in tests and tools. */
export interface WriterPort {
  /** Groups are committed in the order of the calls, one after another. */
  commitGroup(jobs: readonly Job[]): Promise<Outcome[]>;
  close(): Promise<void>;
}

const selectOne = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select("version").limit(sql.lit(1))
);

/** A Storage over one migrated SQLite file: reads on this thread, writes through `writer` in groups. */
export function sqliteStorage(path: string, writer: WriterPort): Storage {
  const connection = SqliteConnection.openReader(path);
  // Reads, so that the log's index is there.
  connection.dataVersion();
  const changes = new ChangeMark(connection, WalIndex.open(path));
  const queue = new GroupQueue((jobs) => changes.through(() => writer.commitGroup(jobs)));
  const reader = answering(connection);
  return {
    reader,
    commit: <I, O>(transaction: Transaction<I, O>, input: I) =>
      // as: the writer answers with what this transaction's `run` returned.
      queue.submit({ transaction: transaction.id, input: JSON.stringify(input) }) as Promise<O>,
    ping: async () => {
      await reader.row(selectOne, {});
    },
    changeMark: () => {
      try {
        return changes.now();
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    stats: () => ({ flushes: queue.flushes, commits: queue.commits }),
    close: async () => {
      await queue.close();
      connection.close();
      await writer.close();
      changes.close();
    },
  };
}

/** The connection, `unavailable` where the file can't be read now: it is locked, damaged, full, or gone. */
function answering(connection: SqliteConnection): Connection {
  const orUnavailable = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw asUnavailable(error);
    }
  };
  return {
    dialect: connection.dialect,
    rows: (statement, params) => orUnavailable(connection.rows(statement, params)),
    row: (statement, params) => orUnavailable(connection.row(statement, params)),
    change: (statement, params) => orUnavailable(connection.change(statement, params)),
  };
}

function asUnavailable(error: unknown): unknown {
  return isStoreTrouble(error) ? new Failure("unavailable", { cause: error }) : error;
}

/** A writer on the calling thread. */
export function localWriter(
  path: string,
  transactions: readonly Transaction<never, unknown>[],
  keys: SealingKeys,
): WriterPort {
  const writer = new SqliteWriter(path, transactions, new Sealer(keys));
  let before: Promise<unknown> = Promise.resolve();
  return {
    commitGroup: (jobs) => {
      const outcomes = before.then(() => writer.commitGroup(jobs));
      before = outcomes;
      return outcomes;
    },
    close: () => Promise.resolve(writer.close()),
  };
}
