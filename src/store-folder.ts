import { join, resolve } from "node:path";
import { REVOKED_FILE } from "./calls/revoked-lately.ts";
import type { Config } from "./config.ts";
import { randomBytes, toHex } from "./kernel/ids.ts";
import {
  newSealingKey,
  parseSealingKeys,
  type SealingKeys,
} from "./kernel/sealing/sealing-keys.ts";
import { syncFolder } from "./kernel/durable-file.ts";
import { readOrCreateSecretFile } from "./kernel/secret-file.ts";
import { HEADS_FILE } from "./maintenance/audit-log/kept-heads.ts";
import { isSealedStore, setAside, whileUnused } from "./storage/engines/sqlite-copies.ts";
import { migrateStorage } from "./storage/open-storage.ts";
import { FIRST_TOKEN_FILE, SEALING_KEY_FILE, StoreIncomplete } from "./store-files.ts";

/**
 * Why the data directory holds less than a store and more than nothing, and what to do; undefined
 * where it holds a store, nothing, or what a first start leaves that was broken off. For SQLite;
 * makes and changes nothing.
 *
 * A first start makes the database, then the sealing key, then writes of the one into the other: so
 * a database that knows of no sealing key may be without one, and a sealing key is never without a
 * database.
 */
export async function storeProblem(config: Config): Promise<string | undefined> {
  if (config.DATABASE_URL) return undefined;
  // Another process may be at its first start: what it makes between two questions is there at the
  // second look.
  return await look(config) === undefined ? undefined : await look(config);
}

/**
 * Makes what is missing of a store in the data directory, and gives its sealing keys. `fresh`: what
 * is left there of another store is set aside, under another name. Throws StoreIncomplete.
 */
export async function ensureStore(config: Config, fresh: boolean): Promise<SealingKeys> {
  if (!config.DATABASE_URL || !config.SEALING_KEY) {
    await Deno.mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 });
  }
  if (!config.DATABASE_URL) {
    if (fresh) await giveWay(config);
    else {
      const problem = await storeProblem(config);
      if (problem !== undefined) throw new StoreIncomplete(problem);
    }
    const isThere = await sizeOf(config.databaseFile) !== undefined;
    // If the schema may not be changed, `keydesk upgrade` makes it.
    if (!isThere && config.UPGRADE !== "off") await makeDatabase(resolve(config.databaseFile));
  }
  if (config.DATABASE_URL && fresh) await setAsideKnowledge(config);
  if (config.SEALING_KEY) return config.SEALING_KEY;
  const { text } = await readOrCreateSecretFile(
    join(config.DATA_DIR, SEALING_KEY_FILE),
    newSealingKey,
  );
  return parseSealingKeys(text);
}

async function look(config: Config): Promise<string | undefined> {
  const place = resolve(config.DATA_DIR);
  const database = resolve(config.databaseFile);
  const key = join(place, SEALING_KEY_FILE);
  const hasKey = config.SEALING_KEY !== undefined || await holdsSomething(key);
  const size = await sizeOf(database);
  if (size === 0) {
    return `${database} holds 0 bytes, which no store does: put a copy in its place (\`keydesk restore --replace\`), ` +
      `or begin anew: ${NEW}, and the file is set aside`;
  }
  if (size === undefined) {
    const left = await firstThere([key, join(place, FIRST_TOKEN_FILE), `${database}-wal`]);
    return left === undefined
      ? undefined
      : `${database} is missing, and ${left} is there (KEYDESK_DATA_DIR): put the database back, or a copy ` +
        `(\`keydesk restore\`), and see that its volume is mounted; or begin anew: ${NEW}`;
  }
  // A first start makes its key whole or not at all: one of 0 bytes is what became of another.
  const isEmpty = !hasKey && await sizeOf(key) !== undefined;
  if (hasKey || (!isEmpty && !isSealedStore(database))) return undefined;
  return `${key} ${
    isEmpty ? "holds 0 bytes" : "is missing"
  } (KEYDESK_DATA_DIR): put the store's sealing key back, or give it as ` +
    "KEYDESK_SEALING_KEY; docs/operating.md tells what to do when it is lost for good; or begin anew: " +
    `${NEW}, and the database is set aside`;
}

const NEW = "`keydesk serve --new` makes an empty store";

/** Sets the broken store aside: a whole one is never set aside. */
async function giveWay(config: Config): Promise<void> {
  const database = resolve(config.databaseFile);
  if (await sizeOf(database) === undefined) {
    await setAside(database);
    await setAsideKnowledge(config);
    return await setAsideEmptyKey(config);
  }
  if (await storeProblem(config) === undefined) {
    throw new StoreIncomplete(
      `there is a store at ${database}: --new makes one only where none is, or where a part of it is missing`,
    );
  }
  await whileUnused(database, async () => void await setAside(database));
  await setAsideKnowledge(config);
  await setAsideEmptyKey(config);
}

/** Sets aside the checkpoints and revocations that were kept of that store. */
async function setAsideKnowledge({ DATA_DIR }: Config): Promise<void> {
  for (const name of [HEADS_FILE, REVOKED_FILE]) await setAside(resolve(DATA_DIR, name));
}

async function setAsideEmptyKey(config: Config): Promise<void> {
  const key = resolve(config.DATA_DIR, SEALING_KEY_FILE);
  if (await sizeOf(key) === 0) await setAside(key);
}

/**
 * Makes an empty store that no one sees before it is whole. Of several processes that do so at
 * once, one is first and all use the same.
 */
async function makeDatabase(path: string): Promise<void> {
  const draft = `${path}.${toHex(randomBytes(6))}.new`;
  try {
    await migrateStorage({ path: draft });
    const file = await Deno.open(draft, { read: true, write: true });
    try {
      await file.sync();
    } finally {
      file.close();
    }
    await Deno.link(draft, path);
    await syncFolder(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    await Deno.remove(draft).catch(() => {});
  }
}

async function firstThere(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    if (await sizeOf(path) !== undefined) return path;
  }
  return undefined;
}

/** Whether a file is there with anything in it: a sealing key of 0 bytes is none. */
export async function holdsSomething(path: string): Promise<boolean> {
  return (await sizeOf(path) ?? 0) > 0;
}

/** In bytes; undefined where nothing is there. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
