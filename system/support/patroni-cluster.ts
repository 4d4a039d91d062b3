/**
 * Three members of Debian's Patroni, each with its PostgreSQL, and three of etcd, by the files of
 * deploy/patroni.
 */
import { join } from "node:path";
import pg from "pg";
import { repository } from "../../test/support/command.ts";
import { PATIENCE_MS } from "../../test/support/eventually.ts";
import { newestBinaries, unprivileged } from "./postgres-pair.ts";
import { fillIn } from "./placed-gateways.ts";
import { lastingPort } from "./proxies.ts";

const HOST = "127.0.0.1";
const PASSWORD = "the-cluster-of-the-test";
const NAMES = ["a", "b", "c"] as const;
const LONGEST_WAIT_MS = PATIENCE_MS;

/** A member as Patroni tells of it. */
interface Told {
  name: string;
  role: string;
  state: string;
}

interface Member {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly data: string;
  readonly config: string;
  patroni?: Deno.ChildProcess | undefined;
}

/** The cluster. Its members are killed and started again by whoever tests. */
export class PatroniCluster implements AsyncDisposable {
  readonly #folder: string;
  readonly #account: { uid: number; gid: number };
  readonly #members: Member[] = [];
  readonly #etcd = new Map<string, { process: Deno.ChildProcess; client: number }>();
  readonly #environments = new Map<string, Record<string, string>>();

  private constructor(folder: string, account: { uid: number; gid: number }) {
    this.#folder = folder;
    this.#account = account;
  }

  /**
   * Starts everything, and waits until a commit is answered when two members have it. Throws
   * without the packages.
   */
  static async start(): Promise<PatroniCluster> {
    const folder = await Deno.makeTempDir({ prefix: "keydesk-patroni-" });
    const account = await unprivileged();
    if (!account) throw new Error("to be run as root, as CI does");
    await Deno.chown(folder, account.uid, account.gid);
    const cluster = new PatroniCluster(folder, account);
    try {
      await cluster.#startEtcd();
      await cluster.#configure();
      for (const member of cluster.#members) cluster.#startPatroni(member);
      await cluster.whole();
      await cluster.query("postgres", "create database keydesk");
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** What nodes are given: all members, always in the same order. */
  get url(): string {
    const hosts = this.#members.map(({ port }) => `${HOST}:${port}`).join(",");
    return `postgres://postgres:${PASSWORD}@${hosts}/keydesk?target_session_attrs=read-write`;
  }

  /** What deploy/patroni/haproxy.cfg is filled with. */
  get words(): Record<string, string> {
    return Object.fromEntries(this.#members.flatMap(({ name, port, restPort }) => [
      [`MEMBER_${name.toUpperCase()}_ADDRESS`, `${HOST}:${port}`],
      [`MEMBER_${name.toUpperCase()}_REST`, String(restPort)],
    ]));
  }

  /** The name of the primary; undefined while there is none. */
  async primary(): Promise<string | undefined> {
    for (const { name, restPort } of this.#members) {
      const response = await fetch(`http://${HOST}:${restPort}/primary`).catch(() => undefined);
      await response?.body?.cancel();
      if (response?.status === 200) return name;
    }
  }

  /** Waits until there is a primary, a synchronous standby, and every member is there. */
  async whole(): Promise<void> {
    await this.#until("every member is there, one of them a synchronous standby", async () => {
      const told = await this.#told();
      const roles = told.filter(({ state }) => /running|streaming/.test(state)).map((one) =>
        one.role
      );
      return roles.length === NAMES.length && roles.includes("leader") &&
        roles.includes("sync_standby");
    });
  }

  /**
   * The statuses with which each member answers somebody without its password who wants to change
   * something.
   */
  async toStrangers(): Promise<number[]> {
    const calls = [["PATCH", "config"], ["POST", "restart"], ["POST", "switchover"]] as const;
    return await Promise.all(
      this.#members.flatMap(({ restPort }) =>
        calls.map(async ([method, path]) => {
          const url = `http://${HOST}:${restPort}/${path}`;
          const response = await fetch(url, { method, body: "{}" });
          await response.body?.cancel();
          return response.status;
        })
      ),
    );
  }

  /** Waits for another primary than this one. */
  async anotherThan(name: string): Promise<string> {
    let found: string | undefined;
    await this.#until(`another primary than ${name}`, async () => {
      found = await this.primary();
      return found !== undefined && found !== name;
    });
    return found ?? "";
  }

  /** Ends a member's Patroni and PostgreSQL at once, as a power cut of its machine does. */
  async killMachine(name: string): Promise<void> {
    const member = this.#member(name);
    const { patroni } = member;
    member.patroni = undefined;
    kill(patroni?.pid);
    await this.#killPostgres(member);
    await patroni?.status;
  }

  /** Ends a member's PostgreSQL alone. */
  async killPostgres(name: string): Promise<void> {
    await this.#killPostgres(this.#member(name));
  }

  /** Starts what `killMachine` has ended. */
  restart(name: string): void {
    this.#startPatroni(this.#member(name));
  }

  /** Ends a member of etcd and starts it again. */
  async restartEtcd(name: string): Promise<void> {
    const { process, client } = this.#etcd.get(name) ?? {};
    kill(process?.pid);
    await process?.status;
    this.#spawnEtcd(name, client ?? 0);
  }

  async query(database: string, sql: string): Promise<Record<string, unknown>[]> {
    const primary = this.#member(await this.primary() ?? "");
    const client = new pg.Client({
      connectionString: `postgres://postgres:${PASSWORD}@${HOST}:${primary.port}/${database}`,
    });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { name } of this.#members) await this.killMachine(name);
    for (const { process } of this.#etcd.values()) {
      kill(process.pid);
      await process.status;
    }
    await Deno.remove(this.#folder, { recursive: true });
  }

  async #startEtcd(): Promise<void> {
    const peers = NAMES.map((name) => ({ name, peer: lastingPort(), client: lastingPort() }));
    const MEMBERS = peers.map(({ name, peer }) => `${name}=http://${HOST}:${peer}`).join(",");
    for (const { name, peer, client } of peers) {
      const file = join(this.#folder, `etcd-${name}.env`);
      await fillIn(join(repository, "deploy/patroni/etcd.env"), {
        NAME: name,
        ADDRESS: HOST,
        CLIENT_PORT: String(client),
        PEER_PORT: String(peer),
        MEMBERS,
        ETCD_DATA: join(this.#folder, `etcd-${name}`),
      }, file);
      const lines = (await Deno.readTextFile(file)).split("\n").filter((line) =>
        /^ETCD_/.test(line)
      );
      const pairs = lines.map((line) => /^(\w+)=(.*)$/.exec(line) ?? []);
      this.#environments.set(name, Object.fromEntries(pairs.map(([, key, value]) => [key, value])));
      this.#spawnEtcd(name, client);
    }
    await this.#until("etcd answers", async () => {
      const asked = await Promise.all(
        peers.map(({ client }) =>
          fetch(`http://${HOST}:${client}/health`).then((r) => r.text(), () => "")
        ),
      );
      return asked.every((text) => text.includes("true"));
    });
  }

  #spawnEtcd(name: string, client: number): void {
    const process = new Deno.Command("etcd", {
      clearEnv: true,
      env: { PATH: "/usr/bin:/bin", ...this.#environments.get(name) },
      ...quiet,
      ...this.#account,
    }).spawn();
    this.#etcd.set(name, { process, client });
  }

  async #configure(): Promise<void> {
    const bin = await newestBinaries();
    const clients = [...this.#etcd.values()].map(({ client }) => `${HOST}:${client}`);
    for (const name of NAMES) {
      const member: Member = {
        name,
        port: lastingPort(),
        restPort: lastingPort(),
        data: join(this.#folder, `data-${name}`),
        config: join(this.#folder, `patroni-${name}.yml`),
      };
      await fillIn(join(repository, "deploy/patroni/patroni.yml"), {
        NAME: name,
        ADDRESS: HOST,
        POSTGRESQL_PORT: String(member.port),
        REST_PORT: String(member.restPort),
        ETCD_HOSTS: clients.join(","),
        DATA_DIR: member.data,
        BIN_DIR: bin,
        NETWORK: `${HOST}/32`,
        WATCHDOG: "off",
      }, member.config);
      await Deno.chown(member.config, this.#account.uid, this.#account.gid);
      this.#members.push(member);
    }
  }

  #startPatroni(member: Member): void {
    member.patroni = new Deno.Command("patroni", {
      args: [member.config],
      cwd: this.#folder,
      clearEnv: true,
      env: {
        PATH: "/usr/bin:/bin",
        HOME: this.#folder,
        LC_ALL: "C.UTF-8",
        PATRONI_SUPERUSER_PASSWORD: PASSWORD,
        PATRONI_REPLICATION_PASSWORD: PASSWORD,
        PATRONI_RESTAPI_USERNAME: "patroni",
        PATRONI_RESTAPI_PASSWORD: PASSWORD,
      },
      ...quiet,
      ...this.#account,
    }).spawn();
  }

  async #killPostgres(member: Member): Promise<void> {
    const file = join(member.data, "postmaster.pid");
    const [line = ""] = (await Deno.readTextFile(file).catch(() => "")).split("\n");
    const pid = Number(line);
    // The file outlives its process, whose number may be somebody else's by now.
    const command = await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (!command.includes(member.data)) return;
    const path = `/proc/${pid}/task/${pid}/children`;
    const children = (await Deno.readTextFile(path).catch(() => "")).split(" ").filter(Boolean);
    for (const one of [pid, ...children.map(Number)]) kill(one);
    await this.#until(
      "it has ended",
      () => Deno.stat(`/proc/${pid}`).then(() => false, () => true),
    );
  }

  async #told(): Promise<Told[]> {
    for (const { restPort } of this.#members) {
      const response = await fetch(`http://${HOST}:${restPort}/cluster`).catch(() => undefined);
      if (response?.ok) return (await response.json()).members;
      await response?.body?.cancel();
    }
    return [];
  }

  #member(name: string): Member {
    const found = this.#members.find((member) => member.name === name);
    if (!found) throw new Error(`there is no member ${name}`);
    return found;
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + LONGEST_WAIT_MS;
    while (!await holds()) {
      if (performance.now() > deadline) {
        throw new Error(`waited in vain: ${what}: ${JSON.stringify(await this.#told())}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const quiet = { stdin: "null", stdout: "null", stderr: "null" } as const;

function kill(pid: number | undefined): void {
  if (!pid) return;
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
