import { Sealer } from "../sealing/sealer.ts";
import type { SealingKeys } from "../sealing/sealing-keys.ts";
import type { Transaction } from "./storage.ts";
import type { Storage } from "./storage.ts";
import { SqliteConnection } from "./engines/sqlite-connection.ts";
import { localWriter, sqliteStorage } from "./engines/sqlite.ts";
import { startThreadedWriter } from "./engines/sqlite-threaded-writer.ts";
import { migrate, versionTableSql } from "./migrate.ts";

/** Where the data lives: the path of an SQLite file, or a postgres:// URL. */
export type StorageLocation = { path: string } | { url: string };

/** How an SQLite store writes: on a thread of its own (a server), or on the calling thread (tests, tools). */
export type WriterChoice =
  | { thread: true; onCrash(error: Error): void }
  | { thread: false; transactions: readonly Transaction<never, unknown>[] };

/** Opens the store, creates or migrates its schema first. The caller closes it. */
export async function openStorage(
  location: StorageLocation,
  keys: SealingKeys,
  writer: WriterChoice,
): Promise<Storage> {
  if ("url" in location) {
    // Loaded only where it is used: the driver costs memory.
    const { postgresStorage } = await import("./engines/postgres.ts");
    return postgresStorage(location.url, new Sealer(keys));
  }
  await migrateSqlite(location.path);
  const port = writer.thread
    ? await startThreadedWriter(location.path, keys, writer.onCrash)
    : localWriter(location.path, writer.transactions, keys);
  return sqliteStorage(location.path, port);
}

async function migrateSqlite(path: string): Promise<void> {
  const connection = SqliteConnection.openWriter(path);
  try {
    connection.exec("begin immediate");
    connection.exec(versionTableSql("sqlite"));
    await migrate(
      {
        dialect: "sqlite",
        rows: (s, p) => connection.rows(s, p),
        row: (s, p) => connection.row(s, p),
        change: (s, p) => connection.change(s, p),
        exec: (text) => Promise.resolve(connection.exec(text)),
      },
      new Date().toISOString(),
    );
    connection.exec("commit");
  } finally {
    connection.close();
  }
}
