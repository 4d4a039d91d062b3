/**
 * A primary and its synchronous standby, of Debian's PostgreSQL, with a test in the place of the
 * cluster manager.
 */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { eventually } from "../../test/support/eventually.ts";

/** The pair. Whoever was killed comes back as the standby of the other one. */
export class PostgresPair implements AsyncDisposable {
  readonly #folder: string;
  readonly #host: string;
  readonly #members: [Server, Server];
  #primary = 0;
  promotions = 0;

  private constructor(folder: string, host: string, members: [Server, Server]) {
    this.#folder = folder;
    this.#host = host;
    this.#members = members;
  }

  /**
   * Starts both on this address; a commit is answered when both have it. Throws without Debian's
   * packages.
   */
  static async start(host = "127.0.0.1"): Promise<PostgresPair> {
    const folder = await Deno.makeTempDir({ prefix: "keydesk-pair-", ...await inMemory() });
    await Deno.chmod(folder, 0o711);
    const account = await unprivileged();
    const bin = await newestBinaries();
    const server = (name: string) => new Server(name, folder, host, freePort(host), bin, account);
    const pair = new PostgresPair(folder, host, [server("a"), server("b")]);
    try {
      await pair.primary.init();
      await pair.primary.start();
      await pair.primary.query("create database keydesk");
      await pair.addStandby();
      return pair;
    } catch (error) {
      await pair[Symbol.asyncDispose]();
      throw error;
    }
  }

  get primary(): Server {
    return this.#members[this.#primary === 0 ? 0 : 1];
  }

  get standby(): Server {
    return this.#members[this.#primary === 0 ? 1 : 0];
  }

  /** What nodes are given: both servers, always in the same order. */
  get url(): string {
    const hosts = this.#members.map(({ port }) => `${this.#host}:${port}`).join(",");
    return `postgres://postgres:${PASSWORD}@${hosts}/keydesk`;
  }

  /**
   * From now on nothing new reaches the standby. What is acknowledged after this is lost with the
   * primary, unless nothing is.
   */
  async holdBack(): Promise<void> {
    for (const { pid } of await this.primary.query("select pid from pg_stat_replication")) {
      Deno.kill(Number(pid), "SIGSTOP");
    }
  }

  /** The standby becomes the primary; the other one must be dead. */
  async promote(): Promise<void> {
    await this.standby.query("select pg_promote()");
    this.#primary = 1 - this.#primary;
    this.promotions++;
  }

  /** Copies the primary to the other one, and waits until no commit is answered without it. */
  async addStandby(): Promise<void> {
    await this.standby.copyFrom(this.primary);
    await this.standby.start();
    await this.primary.query("alter system set synchronous_standby_names = '*'");
    await this.primary.query("select pg_reload_conf()");
    const state = "select 1 from pg_stat_replication where sync_state = 'sync'";
    await eventually(
      "the standby follows",
      async () => (await this.primary.query(state)).length === 1,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const member of this.#members) await member.kill();
    await Deno.remove(this.#folder, { recursive: true });
  }
}

const PASSWORD = "the-pair-of-the-test";

/** One server of the pair. */
class Server {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  readonly #host: string;
  readonly #data: string;
  readonly #folder: string;
  readonly #bin: string;
  readonly #account: Account;
  #process: Deno.ChildProcess | undefined;

  constructor(
    name: string,
    folder: string,
    host: string,
    port: number,
    bin: string,
    account: Account,
  ) {
    this.name = name;
    this.port = port;
    this.url = `postgres://postgres:${PASSWORD}@${host}:${port}/postgres`;
    this.#host = host;
    this.#folder = folder;
    this.#data = join(folder, name);
    this.#bin = bin;
    this.#account = account;
  }

  async init(): Promise<void> {
    await this.#emptyData();
    const file = join(this.#folder, "password");
    await Deno.writeTextFile(file, PASSWORD, { mode: 0o644 });
    await this.#run("initdb", [
      "-D",
      this.#data,
      "-U",
      "postgres",
      `--pwfile=${file}`,
      "--auth=scram-sha-256",
      "--no-sync",
      "--encoding=UTF8",
      "--locale=C.UTF-8",
    ]);
    const rules = ["all", "replication"].map((what) => `host ${what} all 0.0.0.0/0 scram-sha-256`);
    await Deno.writeTextFile(join(this.#data, "pg_hba.conf"), `${rules.join("\n")}\n`);
  }

  async copyFrom(primary: Server): Promise<void> {
    await this.#emptyData();
    const from = `host=${this.#host} port=${primary.port} user=postgres password=${PASSWORD} ` +
      `application_name=${this.name}`;
    await this.#run("pg_basebackup", [
      "-d",
      from,
      "-D",
      this.#data,
      "-R",
      "-X",
      "stream",
      "--checkpoint=fast",
      "--no-sync",
    ]);
    // What the primary waits for is its own matter.
    await Deno.writeTextFile(
      join(this.#data, "postgresql.auto.conf"),
      "synchronous_standby_names = ''\n",
      { append: true },
    );
  }

  async start(): Promise<void> {
    const settings = {
      listen_addresses: this.#host,
      port: this.port,
      unix_socket_directories: "",
      max_connections: 120,
      shared_buffers: "64MB",
      wal_keep_size: "256MB",
      hot_standby: "on",
      dynamic_shared_memory_type: "mmap",
      log_destination: "stderr",
    };
    this.#process = new Deno.Command(join(this.#bin, "postgres"), {
      args: [
        "-D",
        this.#data,
        ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      cwd: "/",
      clearEnv: true,
      env: { LC_ALL: "C", PATH: "/usr/bin:/bin" },
      ...this.#account,
    }).spawn();
    await eventually(
      "the server answers",
      () => this.query("select 1").then(() => true, () => false),
    );
  }

  /** Ends the server and all of its processes at once, as a power cut does. */
  async kill(): Promise<void> {
    const process = this.#process;
    if (!process) return;
    this.#process = undefined;
    const path = `/proc/${process.pid}/task/${process.pid}/children`;
    const children = await Deno.readTextFile(path).catch(() => "");
    for (const pid of [process.pid, ...children.split(" ").filter(Boolean).map(Number)]) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    await process.status;
  }

  query(sql: string): Promise<Record<string, unknown>[]> {
    return this.queryIn("postgres", sql);
  }

  async queryIn(database: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({
      connectionString: this.url.replace(/[^/]*$/, database),
      connectionTimeoutMillis: 2000,
    });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async #emptyData(): Promise<void> {
    await Deno.remove(this.#data, { recursive: true }).catch(() => {});
    await Deno.mkdir(this.#data, { mode: 0o700 });
    if (this.#account) await Deno.chown(this.#data, this.#account.uid, this.#account.gid);
  }

  async #run(program: string, args: string[]): Promise<void> {
    const { success, stderr } = await new Deno.Command(join(this.#bin, program), {
      args,
      cwd: "/",
      clearEnv: true,
      env: { LC_ALL: "C", PATH: "/usr/bin:/bin" },
      ...this.#account,
    }).output();
    if (!success) throw new Error(`${program} has failed: ${new TextDecoder().decode(stderr)}`);
  }
}

type Account = { uid: number; gid: number } | undefined;

/**
 * In memory where there is room: what is killed here are processes, and copies are made quickly
 * there.
 */
async function inMemory(): Promise<{ dir?: string }> {
  const dir = "/dev/shm";
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize > 1024 ** 3 ? { dir } : {};
  } catch {
    return {};
  }
}

/** PostgreSQL does not run as root; the package brings its own user. */
export async function unprivileged(): Promise<Account> {
  if (Deno.uid() !== 0) return undefined;
  const users = await Deno.readTextFile("/etc/passwd");
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (!uid || !gid) throw new Error("there is no user postgres: install Debian's postgresql");
  return { uid: Number(uid), gid: Number(gid) };
}

/** The programs of the newest PostgreSQL that Debian has installed. */
export async function newestBinaries(): Promise<string> {
  const root = "/usr/lib/postgresql";
  const versions: number[] = [];
  try {
    for await (const { name } of Deno.readDir(root)) versions.push(Number(name));
  } catch (cause) {
    throw new Error("there is no PostgreSQL: install Debian's postgresql", { cause });
  }
  return join(root, String(Math.max(...versions.filter(Number.isInteger))), "bin");
}

function freePort(hostname: string): number {
  using listener = Deno.listen({ hostname, port: 0 });
  return listener.addr.port;
}
