/** Stores for benchmarks: filled on SQLite, and moved to PostgreSQL, so that both engines hold the same rows. */
import { join } from "node:path";
import pg from "pg";
import type { PostgresServer } from "../test/support/postgres.ts";
import { startKeydesk } from "./processes.ts";

/** A filled store and its copy. */
export interface Stores {
  rows: number;
  dataDir: string;
  /** One a line: the ids of its requests, or keys of it; at most 200,000, far from each other in turn. */
  list: string;
  credential: string;
  /** The settings with which a node uses the copy on PostgreSQL. */
  settings: { KEYDESK_DATABASE_URL: string; KEYDESK_SEALING_KEY: string };
}

/** Fills a store below `folder`, unless it is there from an earlier run, and copies it to PostgreSQL. */
export async function prepareStores(
  folder: string,
  database: PostgresServer,
  { rows, kind }: { rows: number; kind: "requests" | "keys" },
): Promise<Stores> {
  const dataDir = join(folder, `${kind}-${rows}`);
  const ids = `${dataDir}.ids`;
  if (!(await isThere(ids))) {
    await (await startKeydesk(dataDir)).stop();
    const [script, option] = kind === "keys" ? ["fill-keys", "--keys"] : ["fill", "--ids"];
    const size = ["--data", dataDir, "--rows", String(rows)];
    await run(Deno.execPath(), ["run", "-A", `bench/${script}.ts`, ...size, option, `${ids}.part`]);
    await Deno.rename(`${ids}.part`, ids);
  }
  const settings = {
    KEYDESK_DATABASE_URL: await database.createDatabase(),
    KEYDESK_SEALING_KEY: (await Deno.readTextFile(join(dataDir, "sealing-key"))).trim(),
  };
  await copy(dataDir, settings.KEYDESK_DATABASE_URL);
  const credential = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
  return { rows, dataDir, list: await mixed(ids), credential, settings };
}

/** As `keydesk migrate-store` moves a store; then the source may be used again. */
async function copy(dataDir: string, url: string): Promise<void> {
  const source = `sqlite:${join(dataDir, "keydesk.db")}`;
  const env = { KEYDESK_DATA_DIR: dataDir };
  await run("node", ["bin/keydesk.js", "migrate-store", "--reopen", source], env).catch(() => {});
  await run("node", ["bin/keydesk.js", "migrate-store", "--from", source, "--to", url], env);
  await run("node", ["bin/keydesk.js", "migrate-store", "--reopen", source], env);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // What the autovacuum would do in the middle of a measurement.
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  await client.end();
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

async function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args, env }).output();
  if (!success) {
    throw new Error(`${command} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  }
}
