/**
 * Stores whose schema is there already and nothing else, one of each engine, which every test
 * copies: a run of tests makes them first (`makeMigratedStores`) and names their folder in
 * `STORES_FOLDER`. A module that runs without one makes its own.
 */
import { join } from "node:path";
import { migrateStorage } from "../../src/storage/open-storage.ts";
import { MIGRATED, type PostgresServer, sharedPostgres, startPostgres } from "./postgres.ts";
import { keepInstallation, STORES_FOLDER } from "./postgres-installation.ts";

let file: Promise<string> | undefined;
/** By the server the name of its migrated database. */
const databases = new WeakMap<PostgresServer, Promise<string>>();

/** Makes them in a folder of this user's, for all modules of a run. */
export async function makeMigratedStores(folder: string): Promise<void> {
  await migrateStorage({ path: fileIn(folder) });
  await using server = await startPostgres();
  await createDatabase(server);
  await server.kill("SIGINT");
  await keepInstallation(folder, join(server.folder, "data"), new URL(server.url).password);
}

/** Puts a migrated SQLite store at `path`, where nothing is yet. */
export async function copyMigrated(path: string): Promise<void> {
  await Deno.copyFile(await (file ??= migratedFile()), path);
}

/** The url of a new, migrated database: of the shared server, or of one of the test's own. */
export async function createMigrated(own?: PostgresServer): Promise<string> {
  const server = own ?? await sharedPostgres();
  const isThere = own === undefined && Deno.env.has(STORES_FOLDER);
  const database = databases.get(server) ??
    (isThere ? Promise.resolve(MIGRATED) : createDatabase(server));
  databases.set(server, database);
  return await server.createDatabase(await database);
}

const fileIn = (folder: string) => join(folder, "migrated.db");

async function migratedFile(): Promise<string> {
  const folder = Deno.env.get(STORES_FOLDER);
  if (folder !== undefined) return fileIn(folder);
  const own = await Deno.makeTempDir({ prefix: "keydesk-stores-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(own, { recursive: true }));
  await migrateStorage({ path: fileIn(own) });
  return fileIn(own);
}

/** Makes the database `MIGRATED` and gives its name. */
async function createDatabase(server: PostgresServer): Promise<string> {
  await migrateStorage({ url: await server.createDatabase(undefined, MIGRATED) });
  return MIGRATED;
}
