import { sql } from "kysely";
import { Failure } from "../../lib/failure.ts";
import { Sealer } from "../../sealing/sealer.ts";
import type { SealingKeys } from "../../sealing/sealing-keys.ts";
import { statement } from "../statement.ts";
import type { Connection, Storage, Transaction } from "../storage.ts";
import { GroupQueue } from "./group-queue.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
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
  const queue = new GroupQueue((jobs) => writer.commitGroup(jobs));
  const reader: Connection = connection;
  return {
    reader,
    commit: <I, O>(transaction: Transaction<I, O>, input: I) =>
      // as: the writer answers with what this transaction's `run` returned.
      queue.submit({ transaction: transaction.id, input: JSON.stringify(input) }) as Promise<O>,
    ping: async () => {
      try {
        await reader.row(selectOne, {});
      } catch (cause) {
        throw new Failure("unavailable", { cause });
      }
    },
    changeMark: () => connection.dataVersion(),
    stats: () => ({ flushes: queue.flushes, commits: queue.commits }),
    close: async () => {
      await queue.close();
      connection.close();
      await writer.close();
    },
  };
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
