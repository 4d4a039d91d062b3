import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { type Engine, openTestDesk, type TestDesk } from "./desk.ts";
import { sharedPostgres } from "./postgres.ts";

/**
 * Where the stores lie that earlier code has written: a folder for each, by the revision of that
 * code.
 */
export const STORES = fileURLToPath(new URL("../whole/old-rows/stores", import.meta.url));

/** The administrator's credential in each of them, and what seals them: for tests alone. */
export const OLD_ADMIN = "administrator-of-the-old-stores-0001";
export const OLD_SEALING_KEY = "1:b2xkLXN0b3Jlcy1vbGQtc3RvcmVzLW9sZC1zdG9yZXM=";

/** The store of schema 12, whose rows have no checksums. The other is of schema 37. */
export const BEFORE_CHECKSUMS = "0dfdb0c";

/** What is known of a store besides what it holds. */
export interface OldStore {
  /** The last change. */
  filled_at: string;
  /** Plain keys that open something. */
  keys: string[];
}

/** The names of all old stores. */
export function oldStores(): string[] {
  return [...Deno.readDirSync(STORES)].map((entry) => entry.name).sort();
}

/** Opens a copy of an old store with today's code, a minute after its last change. */
export async function openOldStore(
  name: string,
  engine: Engine,
): Promise<{ desk: TestDesk; keys: string[] } & AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-old-" });
  const told: Record<Engine, OldStore> = JSON.parse(
    await Deno.readTextFile(join(STORES, name, "filled.json")),
  );
  const { filled_at, keys } = told[engine];
  const at = Date.parse(filled_at) + MINUTE_MS;
  const desk = await openTestDesk(engine, {
    environment: {
      KEYDESK_DATA_DIR: folder,
      KEYDESK_ADMIN_TOKEN: OLD_ADMIN,
      KEYDESK_SEALING_KEY: OLD_SEALING_KEY,
      ...await copyOldStore(name, engine, folder),
    },
    clock: { now: () => at },
  });
  return {
    desk,
    keys,
    [Symbol.asyncDispose]: async () => {
      await desk[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const MINUTE_MS = 60 * 1000;

/** Puts a copy of an old store where a desk can open it, and gives the settings that say where. */
export function copyOldStore(
  name: string,
  engine: Engine,
  folder: string,
): Promise<Record<string, string>> {
  return places[engine](join(STORES, name), folder);
}

const places: Record<Engine, (store: string, folder: string) => Promise<Record<string, string>>> = {
  sqlite: async (store, folder) => {
    const packed = await Deno.readFile(join(store, "sqlite.db.gz"));
    await Deno.writeFile(join(folder, "keydesk.db"), gunzipSync(packed));
    return {};
  },
  postgres: async (store) => {
    const url = await (await sharedPostgres()).createDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(String(gunzipSync(await Deno.readFile(join(store, "postgres.sql.gz")))));
    } finally {
      await client.end();
    }
    return { KEYDESK_DATABASE_URL: url };
  },
};
