/** A PgBouncer of one test before a PostgreSQL of the test, by a user's name alone. */
import { join } from "node:path";
import { run } from "../../test/support/command.ts";
import { madeOnce } from "./made-once.ts";

/** A running pooler. */
export interface TestPooler extends AsyncDisposable {
  /** The URL of a database through the pooler, of one that names it at the server. */
  through(url: string): string;
  /** What it has logged. */
  log(): Promise<string>;
}

/** What a pooler is started with. */
export interface PoolerOptions {
  mode: "transaction" | "session";
  /** The program; without it Debian's own. */
  program?: string;
  /** Further settings, by their names in pgbouncer.ini; undefined: left out. */
  settings?: Record<string, string | number | undefined>;
}

/** Parameters that Keydesk states at the start of a connection. */
const IGNORED =
  "extra_float_digits, statement_timeout, lock_timeout, idle_in_transaction_session_timeout";

/** Starts one before the server of `url`, in a folder that its own user can read. */
export async function startPooler(url: string, options: PoolerOptions): Promise<TestPooler> {
  const server = new URL(url);
  const folder = await Deno.makeTempDir({ prefix: "keydesk-pooler-" });
  await Deno.chmod(folder, 0o777);
  const log = join(folder, "log");
  for (let attempt = 0; attempt < 10; attempt++) {
    const port = freePort();
    const settings = {
      listen_addr: "127.0.0.1",
      listen_port: port,
      unix_socket_dir: "",
      auth_type: "any",
      pool_mode: options.mode,
      default_pool_size: 10,
      max_client_conn: 500,
      ignore_startup_parameters: IGNORED,
      logfile: log,
      ...options.settings,
    };
    const { hostname, port: at, username, password } = server;
    const to = `* = host=${hostname} port=${at} user=${username} password=${password}`;
    const lines = Object.entries(settings).filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name} = ${value}`);
    const file = join(folder, "pgbouncer.ini");
    await Deno.writeTextFile(file, ["[databases]", to, "[pgbouncer]", ...lines, ""].join("\n"));
    const child = new Deno.Command(options.program ?? "pgbouncer", {
      // It refuses to run as root.
      args: ["-q", ...Deno.uid() === 0 ? ["-u", "nobody"] : [], file],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    let isOver = false;
    const ended = child.status.then(() => isOver = true);
    if (await listens(port, () => isOver)) {
      return {
        through: (database) => {
          const pooled = new URL(database);
          pooled.port = String(port);
          return pooled.href;
        },
        log: () => Deno.readTextFile(log),
        [Symbol.asyncDispose]: async () => {
          child.kill("SIGKILL");
          await ended;
          await Deno.remove(folder, { recursive: true });
        },
      };
    }
  }
  throw new Error(`pgbouncer does not start: ${await Deno.readTextFile(log).catch(String)}`);
}

/** PgBouncer of Debian 13, built from its source; its program's path. */
export async function builtPgbouncer(): Promise<string> {
  const folder = await madeOnce(`pgbouncer-${BUILT.version}`, async (folder) => {
    const answer = await fetch(BUILT.url);
    if (!answer.ok) throw new Error(`${BUILT.url}: ${answer.status}`);
    const source = await answer.bytes();
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", source));
    if (hash.toHex() !== BUILT.sha256) throw new Error(`${BUILT.url}: not what is expected`);
    await Deno.writeFile(join(folder, "source.tar.gz"), source);
    for (
      const words of [
        ["tar", "xzf", "source.tar.gz", "--strip-components=1"],
        ["./configure", "--without-cares", "--quiet"],
        ["make", "-j2", "pgbouncer"],
      ]
    ) {
      const { code, stderr } = await run(words, { cwd: folder });
      if (code !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
    }
    // Its user, who is another one, runs it.
    await Deno.chmod(folder, 0o755);
  });
  return join(folder, "pgbouncer");
}

const BUILT = {
  version: "1.24.1",
  url: "http://deb.debian.org/debian/pool/main/p/pgbouncer/pgbouncer_1.24.1.orig.tar.gz",
  sha256: "da72a3aba13072876d055a3e58dd4aba4a5de4ed6148e73033185245598fd3e0",
};

async function listens(port: number, isOver: () => boolean): Promise<boolean> {
  while (!isOver()) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return false;
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
