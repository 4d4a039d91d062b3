/** Stores that nobody has opened yet, for commands, and the settings that lead to them. */
import { join } from "node:path";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import type { StorageLocation } from "../../src/storage/open-storage.ts";
import { temporaryFolder } from "./command.ts";
import { type Engine, testEachEngine } from "./desk.ts";
import { sharedPostgres } from "./postgres.ts";

/** A place for a store, with a folder that goes when its test ends. */
export interface UnopenedStore {
  readonly engine: Engine;
  /** Holds nothing but the empty data directory `data`. */
  readonly folder: string;
  /** Of a command that is to work on this store. */
  readonly settings: Readonly<Record<string, string>>;
  readonly location: StorageLocation;
}

/** Registers one test for each engine: `promise` is its name. */
export function testOnStores(
  promise: string,
  test: (store: UnopenedStore) => Promise<void>,
): void {
  testEachEngine(promise, async (engine) => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, "data");
    await Deno.mkdir(data);
    const settings = { KEYDESK_DATA_DIR: data };
    if (engine === "sqlite") {
      const location = { path: join(data, "keydesk.db") };
      return await test({ engine, folder: folder.path, settings, location });
    }
    const url = await (await sharedPostgres()).createDatabase();
    const there = { KEYDESK_DATABASE_URL: url, KEYDESK_SEALING_KEY: newSealingKey().trim() };
    const location = { url };
    await test({ engine, folder: folder.path, settings: { ...settings, ...there }, location });
  });
}
