import { fileURLToPath } from "node:url";
import { FIRST_TOKEN_FILE } from "../../src/store-files.ts";
import { mainModule } from "./program.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A real server: its own process, its own port, real files. */
export interface ServerProcess extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly hostname: string;
  readonly port: number;
  /** Milliseconds from the start of the process until it said that it listens. */
  readonly readyMs: number;
  /** The administrator's credential; empty where this server wrote none, since another one did. */
  readonly credential: string;
  /** Resolves when the process has ended. */
  readonly ended: Promise<Deno.CommandStatus>;
  /** The last 200,000 characters that it wrote to its standard output and error. */
  output(): string;
  /** Sends a request; throws when no whole answer comes back. */
  send(method: string, path: string, init?: ServerCall): Promise<ServerAnswer>;
  kill(signal: Deno.Signal): void;
}

/** What a request carries besides the administrator's credential. */
export interface ServerCall {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A whole answer; `body` is the parsed JSON. */
export interface ServerAnswer {
  status: number;
  // deno-lint-ignore no-explicit-any -- whatever the server under test sends
  body: any;
}

/** How a server is started. */
export interface ServerOptions {
  dataDir: string;
  /** Further settings, names with `KEYDESK_`. */
  environment?: Record<string, string>;
  /** Words before the command, such as a tracer and its options. */
  under?: readonly string[];
  /** Is given each line that it writes, also those that `output` keeps no more. */
  onLine?: (line: string) => void;
}

/** Starts `keydesk serve` on a free port. Throws with what it wrote when it does not get ready. */
export async function startServerProcess(options: ServerOptions): Promise<ServerProcess> {
  const started = performance.now();
  const child = serverCommand(options).spawn();
  const ready = Promise.withResolvers<{ url: string; pid: number }>();
  let written = "";
  const take = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
    let begun = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      if (options.onLine) {
        const lines = (begun + text).split("\n");
        begun = lines.pop() ?? "";
        lines.forEach(options.onLine);
      }
      // The end is what tells why; a long run's log is not kept whole.
      written = (written + text).slice(-200_000);
      const line = /\{[^\n]*"url":"([^"]+)","pid":(\d+)[^\n]*"listening"/.exec(text);
      if (line) ready.resolve({ url: line[1] ?? "", pid: Number(line[2]) });
    }
  };
  const taken = Promise.all([take(child.stdout), take(child.stderr)]);
  const ended = (async () => {
    const status = await child.status;
    await taken;
    ready.reject(new Error(`the server ended with ${status.code}: ${written}`));
    return status;
  })();
  const { url, pid } = await ready.promise;
  const readyMs = performance.now() - started;
  const credential = options.environment?.KEYDESK_ADMIN_TOKEN ??
    await firstCredential(options.dataDir);
  const client = Deno.createHttpClient({ poolMaxIdlePerHost: 256 });
  const { hostname, port } = new URL(url);
  const kill = (signal: Deno.Signal) => {
    try {
      Deno.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  };
  return {
    pid,
    url,
    hostname,
    port: Number(port),
    readyMs,
    credential,
    ended,
    output: () => written,
    send: async (method, path, { body, headers, signal } = {}) => {
      const response = await fetch(`${url}${path}`, {
        method,
        client,
        headers: { authorization: credential, ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        ...signal ? { signal } : {},
      });
      return { status: response.status, body: await response.json() };
    },
    kill,
    [Symbol.asyncDispose]: async () => {
      kill("SIGKILL");
      await ended;
      client.close();
    },
  };
}

/** Runs a test with an empty folder that is removed afterwards. */
export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-process-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function firstCredential(dataDir: string): Promise<string> {
  try {
    return (await Deno.readTextFile(`${dataDir}/${FIRST_TOKEN_FILE}`)).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** The command that starts a server, its output piped. */
export function serverCommand(options: ServerOptions): Deno.Command {
  const [command = "", ...args] = [
    ...options.under ?? [],
    Deno.execPath(),
    "run",
    "--quiet",
    "-A",
    // As the launcher does.
    ...options.environment?.KEYDESK_REUSE_PORT === "true" ? ["--unstable-net"] : [],
    mainModule,
    "serve",
  ];
  return new Deno.Command(command, {
    args,
    cwd: root,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "/",
      KEYDESK_DATA_DIR: options.dataDir,
      KEYDESK_PORT: "0",
      // Load comes from few developers here.
      KEYDESK_PENDING_PER_DEVELOPER: "0",
      ...options.environment,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}
