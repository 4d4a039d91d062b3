import { resolve } from "node:path";
import { Sealer } from "../kernel/sealing/sealer.ts";
import type { SealingKeys } from "../kernel/sealing/sealing-keys.ts";
import { defaultLimits, type PostgresLimits } from "./engines/postgres-limits.ts";
import { SqliteConnection } from "./engines/sqlite-connection.ts";
import { rewriteLog } from "./engines/sqlite-log.ts";
import type { StoreSession } from "./engines/store-session.ts";
import type { WriterThread } from "./engines/sqlite-threaded-writer.ts";
import { openedWithReserve } from "./engines/sqlite-reserve.ts";
import { localWriter, sqliteStorage } from "./engines/sqlite.ts";
import type { AuditLogOutlet } from "./outlet.ts";
import { checkSchema, migrate, versionTableSql } from "./migrate.ts";
import { noSigns, type Storage, type StoreSigns, type Transaction } from "./storage.ts";

/**
 * The location of the data: the path of an SQLite file, or a postgres:// URL with how it is used.
 * `ifEmpty` is called before a schema without a store is made one, and may refuse by throwing.
 */
export type StorageLocation =
  | { path: string; migrate?: MigrateChoice }
  | {
    url: string;
    migrate?: MigrateChoice;
    limits?: PostgresLimits;
    ifEmpty?: (session: StoreSession) => Promise<void>;
  };

/**
 * Whether opening brings the schema up to date (`auto`, as always without it) or only looks at its
 * version.
 */
type MigrateChoice = "auto" | "off";

/**
 * How an SQLite store writes: on a thread of its own that `start` gives (a server), or on the
 * calling thread (tests, tools). `makesReserve`: it sets room aside for a full disk, beside the
 * store.
 */
export type WriterChoice =
  | { thread: true; start(): WriterThread; onCrash(error: Error): void; makesReserve?: boolean }
  | { thread: false; transactions: readonly Transaction<never, unknown>[] };

/**
 * Opens the store, and creates or migrates its schema first unless `location` says otherwise. The
 * caller closes it. `signs` hears of its writing and of its damage, `outlet` of what is committed
 * to the audit log. Throws SchemaTooNew, SchemaTooOld, and what the engine throws.
 */
export async function openStorage(
  location: StorageLocation,
  keys: SealingKeys,
  writer: WriterChoice,
  signs: StoreSigns = noSigns,
  outlet?: AuditLogOutlet,
): Promise<Storage> {
  await migrateStorage(location, location.migrate === "off" ? "check" : undefined);
  if ("url" in location) {
    const { postgresStorage } = await loadPostgres();
    const limits = location.limits ?? defaultLimits;
    return postgresStorage(location.url, new Sealer(keys), limits, signs, outlet);
  }
  // So that a folder that is moved along with the working directory is missed too.
  const path = resolve(location.path);
  const port = writer.thread
    ? await writer.start().open(path, keys, writer.onCrash, writer.makesReserve)
    : localWriter(path, writer.transactions, keys);
  return sqliteStorage(path, port, signs, outlet);
}

/** Brings a store's schema up to date, under a lock; with `only: "check"` looks whether it is. */
export async function migrateStorage(location: StorageLocation, only?: "check"): Promise<void> {
  if (!("url" in location)) return await migrateSqlite(location.path, only);
  const { migratePostgres } = await loadPostgres();
  const { url, limits = defaultLimits, ifEmpty } = location;
  await migratePostgres(url, limits, only, ifEmpty);
}

/** Loaded only where it is used: the driver costs memory. */
async function loadPostgres() {
  const [{ postgresStorage }, { migratePostgres }] = await Promise.all([
    import("./engines/postgres.ts"),
    import("./engines/postgres-migration.ts"),
  ]);
  return { postgresStorage, migratePostgres };
}

async function migrateSqlite(path: string, only?: "check"): Promise<void> {
  const connection = openedWithReserve(path, () => {
    rewriteLog(path);
    return SqliteConnection.openWriter(path);
  });
  try {
    if (only === "check") return await checkSchema(connection);
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
