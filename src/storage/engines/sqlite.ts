import { sql } from "kysely";
import { Sealer } from "../../kernel/sealing/sealer.ts";
import type { SealingKeys } from "../../kernel/sealing/sealing-keys.ts";
import { statement } from "../statement.ts";
import type { Connection, Storage, Transaction } from "../storage.ts";
import { type DamageListener, tellingOf } from "./damage-listener.ts";
import { type CommitGroup, GroupQueue } from "./group-queue.ts";
import { ChangeMark } from "./sqlite-change-mark.ts";
import { asFailure, SqliteConnection } from "./sqlite-connection.ts";
import { SqliteWriter } from "./sqlite-writer.ts";

/** Where an SQLite store's writes run: a thread of its own in the server, the calling thread in tests and tools. */
export interface WriterPort {
  /** Groups are committed in the order of the calls, one after another. */
  commitGroup: CommitGroup;
  close(): Promise<void>;
}

const selectOne = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select("version").limit(sql.lit(1))
);

/** A Storage over one migrated SQLite file: reads on this thread, writes through `writer` in groups. */
export function sqliteStorage(
  path: string,
  writer: WriterPort,
  onDamage: DamageListener,
): Storage {
  const connection = SqliteConnection.openReader(path);
  const changes = new ChangeMark(connection);
  const queue = new GroupQueue((jobs, onFlush) =>
    changes.through(() => writer.commitGroup(jobs, onFlush))
  );
  const told = tellingOf(onDamage);
  const reader = answering(connection, (error) => told(asFailure(error)));
  return {
    reader,
    commit: <I, O>(transaction: Transaction<I, O>, input: I) =>
      // as: the writer answers with what this transaction's `run` returned.
      queue.submit({ transaction: transaction.id, input }).catch((error) => {
        throw told(error);
      }) as Promise<O>,
    ping: async () => {
      await reader.row(selectOne, {});
    },
    changeMark: () => {
      try {
        return changes.now();
      } catch (error) {
        throw told(asFailure(error));
      }
    },
    stats: () => ({ flushes: queue.flushes, commits: queue.commits }),
    close: async () => {
      await queue.close();
      connection.close();
      await writer.close();
    },
  };
}

/** The connection; what it throws, as `failureOf` makes it: `unavailable` where the file is locked, full or gone. */
function answering(
  connection: SqliteConnection,
  failureOf: (error: unknown) => unknown,
): Connection {
  const orFailure = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      throw failureOf(error);
    }
  };
  return {
    dialect: connection.dialect,
    rows: (statement, params) => orFailure(connection.rows(statement, params)),
    row: (statement, params) => orFailure(connection.row(statement, params)),
    change: (statement, params) => orFailure(connection.change(statement, params)),
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
    commitGroup: (jobs, onFlush) => {
      const outcomes = before.then(() => writer.commitGroup(jobs, onFlush));
      before = outcomes;
      return outcomes;
    },
    close: () => Promise.resolve(writer.close()),
  };
}
