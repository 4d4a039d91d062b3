/**
 * Stores for benchmarks: filled on SQLite, and copied to PostgreSQL, so that both engines hold the
 * same rows.
 */
import { join } from "node:path";
import pg from "pg";
import { beginMove } from "../src/maintenance/move-store/begin-move.ts";
import {
  copyTables,
  openTarget,
  translationFor,
} from "../src/maintenance/move-store/move-store.ts";
import { openAgain } from "../src/maintenance/move-store/moving.store.ts";
import { openSession } from "../src/storage/open-session.ts";
import { POSTGRES_SHARDS } from "../src/storage/pending-counts.ts";
import type { PostgresServer } from "../test/support/postgres.ts";
import { startKeydesk } from "./processes.ts";

/** A filled store and its copy. */
export interface Stores {
  rows: number;
  dataDir: string;
  /**
   * One a line: the ids of its requests, or keys of it; at most 200,000, far from each other in
   * turn.
   */
  list: string;
  credential: string;
  /** The settings with which a node uses the copy on PostgreSQL. */
  settings: { KEYDESK_DATABASE_URL: string; KEYDESK_SEALING_KEY: string };
}

/**
 * Fills a store below `folder`, unless it is there from an earlier run, and copies it to
 * PostgreSQL. Both may be written to: the SQLite store is a copy too.
 */
export async function prepareStores(
  folder: string,
  database: PostgresServer,
  { rows, kind }: { rows: number; kind: "requests" | "keys" },
): Promise<Stores> {
  const filled = join(folder, `${kind}-${rows}`);
  const ids = `${filled}.ids`;
  if (!(await isThere(ids))) {
    await (await startKeydesk(filled)).stop();
    const [script, option] = kind === "keys" ? ["fill-keys", "--keys"] : ["fill", "--ids"];
    const size = ["--data", filled, "--rows", String(rows)];
    await run(Deno.execPath(), ["run", "-A", `bench/${script}.ts`, ...size, option, `${ids}.part`]);
    await Deno.rename(`${ids}.part`, ids);
  }
  const dataDir = join(folder, "used");
  await run("rm", ["-rf", dataDir]);
  await run("cp", ["-a", "--reflink=auto", filled, dataDir]);
  const settings = {
    KEYDESK_DATABASE_URL: await database.createDatabase(),
    KEYDESK_SEALING_KEY: (await Deno.readTextFile(join(dataDir, "sealing-key"))).trim(),
  };
  const started = performance.now();
  await copy(join(dataDir, "keydesk.db"), settings.KEYDESK_DATABASE_URL);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.error(`${rows.toLocaleString("en")} ${kind} copied to PostgreSQL in ${seconds} s`);
  const credential = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
  return { rows, dataDir, list: await mixed(ids), credential, settings };
}

/**
 * As `keydesk move-store` moves a store, but without comparing, and with indexes that are made
 * at the end.
 */
async function copy(path: string, url: string): Promise<void> {
  const [source, target] = [await openSession({ path }), await openSession({ url })];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // A copy that was broken off has left the source closed, and an empty target does not know of
    // it.
    await openAgain(source);
    const { move } = await beginMove(source, target);
    const indexes = await dropIndexes(client);
    await copyTables(move, await translationFor(move), () => {});
    await client.query("set maintenance_work_mem = '512MB'");
    for (const index of indexes) await client.query(index);
    await openTarget(move);
    await openAgain(source);
    await spread(client);
    // What the autovacuum would do in the middle of a measurement.
    await client.query("vacuum analyze");
    await client.query("checkpoint");
  } finally {
    await Promise.all([source.close(), target.close(), client.end()]);
  }
}

/** Drops all indexes but those of keys; gives what makes them again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; sql: string }>(`
    select c.oid::regclass::text as name, pg_get_indexdef(c.oid) as sql
    from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    join pg_index i on i.indexrelid = c.oid
    where not exists (select from pg_constraint where conindid = c.oid)`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ sql }) => sql);
}

/** Spreads the counters as PostgreSQL's own writers would have: one of SQLite is a single row. */
async function spread(client: pg.Client): Promise<void> {
  const n = POSTGRES_SHARDS;
  await client.query(`insert into list_counts (org_id, list, level, bucket, shard, n)
    select org_id, list, level, bucket, shards, n / ${n} from list_counts, generate_series(1, ${
    n - 1
  }) as shards where shard = 0 and n >= ${n} and list <> 'certificates/positions'`);
  await client.query(`update list_counts set n = n - (n / ${n}) * ${n - 1}
    where shard = 0 and n >= ${n} and list <> 'certificates/positions'`);
}

/** The list in another order, in which neighbours do not belong to one developer. */
async function mixed(list: string): Promise<string> {
  const lines = (await Deno.readTextFile(list)).trim().split("\n");
  const stride = 7919;
  const shown = lines.map((_, n) => lines[n * stride % lines.length]);
  await Deno.writeTextFile(`${list}.mixed`, `${shown.join("\n")}\n`);
  return `${list}.mixed`;
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function run(command: string, args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args }).output();
  if (!success) {
    throw new Error(`${command} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  }
}
