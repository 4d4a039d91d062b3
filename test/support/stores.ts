import pg from "pg";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import {
  newSealingKey,
  parseSealingKeys,
  type SealingKeys,
} from "../../src/kernel/sealing/sealing-keys.ts";
import { openStorage, type StorageLocation } from "../../src/storage/open-storage.ts";
import type { Storage, Transaction } from "../../src/storage/storage.ts";
import { transactions as ours } from "../../src/transactions.ts";
import { chosenEngines } from "./engines.ts";
import { makeStoreFolder } from "./memory-folder.ts";
import { copyMigrated, createMigrated } from "./migrated-stores.ts";
import { type PostgresServer, sharedPostgres, startPostgres } from "./postgres.ts";

/**
 * The engines that the conformance suite holds for; `postgres-en` sorts text as people do, by
 * default.
 */
export const storeEngines = chosenEngines(["sqlite", "postgres", "postgres-en"]);
/** One of them. */
export type StoreEngine = typeof storeEngines[number];

/**
 * One store, and its sealing keys. Every `open` is a further opener of the same
 * store.
 */
export interface TestStore extends AsyncDisposable {
  readonly engine: StoreEngine;
  readonly location: StorageLocation;
  readonly keys: SealingKeys;
  /** Opens the store once more; it is closed with the test, or earlier. */
  open(keys?: SealingKeys): Promise<Storage>;
}

/** A store that has the schema. `extra` adds transactions for the test alone. */
export function testStore(
  engine: StoreEngine,
  extra: readonly Transaction<never, unknown>[] = [],
): Promise<TestStore> {
  return storeAt(engine, extra, async (path) => {
    if (engine === "postgres-en") return { url: await createMigrated(await englishServer()) };
    if (engine === "postgres") return { url: await createMigrated() };
    await copyMigrated(path);
    return { path };
  });
}

/** A place for a store that nothing has opened yet, and so without a schema. */
export function emptyStore(engine: StoreEngine): Promise<TestStore> {
  return storeAt(engine, [], async (path) => {
    if (engine === "sqlite") return { path };
    const server = await (engine === "postgres" ? sharedPostgres() : englishServer());
    return { url: await server.createDatabase() };
  });
}

async function storeAt(
  engine: StoreEngine,
  extra: readonly Transaction<never, unknown>[],
  make: (path: string) => Promise<StorageLocation>,
): Promise<TestStore> {
  const folder = await makeStoreFolder("keydesk-store-");
  const location = await make(`${folder}/keydesk.db`);
  const keys = parseSealingKeys(newSealingKey());
  const opened = new Set<Storage>();
  return {
    engine,
    location,
    keys,
    open: async (other = keys) => {
      const transactions = [...ours, ...extra];
      const storage = await openStorage(location, other, { thread: false, transactions });
      opened.add(storage);
      return {
        ...storage,
        close: async () => {
          if (opened.delete(storage)) await storage.close();
        },
      };
    },
    [Symbol.asyncDispose]: async () => {
      for (const storage of opened) await storage.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Registers one test for each engine, with a place of its own. */
export function testOnStores(
  promise: string,
  test: (store: TestStore) => Promise<void>,
  extra: readonly Transaction<never, unknown>[] = [],
): void {
  for (const engine of storeEngines) {
    Deno.test({
      name: `${engine}: ${promise}`,
      // The PostgreSQL servers outlive the single test.
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        await using store = await testStore(engine, extra);
        await test(store);
      },
    });
  }
}

let english: Promise<PostgresServer> | undefined;

/** It ends with the process, as the shared one does. */
function englishServer(): Promise<PostgresServer> {
  return english ??= startPostgres({ locale: "en_US" });
}

/** Runs SQL on an empty store, as an earlier release would have left it there. */
export async function runSql(location: StorageLocation, texts: readonly string[]): Promise<void> {
  if ("path" in location) {
    const connection = SqliteConnection.openWriter(location.path);
    for (const text of texts) connection.exec(text);
    return connection.close();
  }
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  for (const text of texts) await client.query(text);
  await client.end();
}
