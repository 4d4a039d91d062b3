/** Servers under test, as processes of their own, and what can be seen of them from outside. */

const DENO = Deno.execPath();

/** A process that listens. */
export interface Server {
  url: string;
  pid: number;
  /** Milliseconds from starting the process until it listened. */
  readyMs: number;
  /** Ends it with SIGTERM and gives the lines that it wrote to standard output. */
  stop(): Promise<string[]>;
}

/**
 * Starts Keydesk by its launcher, logging as by default, on a data directory; `settings`: and with
 * these too; `tree`: the checkout whose code it is.
 */
export function startKeydesk(
  dataDir: string,
  settings: Record<string, string> = {},
  tree = ".",
): Promise<Server> {
  // Load comes from few developers here.
  const free = { KEYDESK_PENDING_PER_DEVELOPER: "0" };
  const env = { KEYDESK_DATA_DIR: dataDir, KEYDESK_PORT: "0", ...free, ...settings };
  return start("node", [`${tree}/bin/keydesk.js`, "serve"], env);
}

/**
 * Starts the bare server that answers with the contents of a file; `headersFile`: and with these
 * headers, as JSON.
 */
export function startBare(bodyFile: string, headersFile?: string): Promise<Server> {
  const files = headersFile === undefined ? [bodyFile] : [bodyFile, headersFile];
  return start(DENO, ["run", "-A", "bench/bare-server.ts", ...files], {});
}

async function start(
  command: string,
  args: string[],
  env: Record<string, string>,
): Promise<Server> {
  const started = performance.now();
  const output = await Deno.makeTempFile();
  const script = `exec "$0" "$@" > '${output}' 2>/dev/null`;
  const child = new Deno.Command("sh", { args: ["-c", script, command, ...args], env }).spawn();
  let line: { url?: string; pid?: number } | undefined;
  while (!line?.url) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (performance.now() - started > 60_000) throw new Error(`${command} did not start`);
    const [first] = (await Deno.readTextFile(output)).split("\n");
    line = first?.endsWith("}") ? JSON.parse(first) : undefined;
  }
  return {
    url: line.url,
    pid: line.pid ?? child.pid,
    readyMs: performance.now() - started,
    stop: async () => {
      child.kill("SIGTERM");
      await child.status;
      const lines = (await endOf(output)).trimEnd().split("\n");
      await Deno.remove(output);
      return lines;
    },
  };
}

/** The last 64 MiB of a file: a line for each call can be more than one string holds. */
async function endOf(path: string): Promise<string> {
  using file = await Deno.open(path);
  const { size } = await file.stat();
  await file.seek(Math.max(0, size - 64 * 1024 * 1024), Deno.SeekMode.Start);
  return await new Response(file.readable).text();
}

/** Resident memory of a process in MiB. */
export async function residentMiB(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/**
 * Microseconds of processor time that a process has used so far, all of its living threads
 * together.
 */
export async function cpuMicros(pid: number): Promise<number> {
  let nanos = 0;
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const text = await Deno.readTextFile(`/proc/${pid}/task/${name}/schedstat`).catch(() => "0");
    nanos += Number(text.split(" ")[0]);
  }
  return nanos / 1000;
}

/**
 * What processes use from now on: the function that it gives tells how many microseconds it was,
 * together. With `children`, theirs too, such as a PostgreSQL's backends, without those that have
 * ended since.
 */
export async function cpuOf(
  pids: number[],
  options: { children?: boolean } = {},
): Promise<() => Promise<number>> {
  const look = async () => {
    const all = options.children ? (await Promise.all(pids.map(withChildren))).flat() : pids;
    const used = all.map(async (pid) => [pid, await cpuMicros(pid).catch(() => 0)] as const);
    return new Map(await Promise.all(used));
  };
  const before = await look();
  return async () => {
    let sum = 0;
    for (const [pid, micros] of await look()) sum += Math.max(0, micros - (before.get(pid) ?? 0));
    return sum;
  };
}

async function withChildren(pid: number): Promise<number[]> {
  const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
  return [pid, ...children.split(" ").filter((text) => text.trim() !== "").map(Number)];
}

/** What wrk saw. */
export interface Load {
  perSecond: number;
  requests: number;
  /** What came over the wire for one answer on the average, headers included. */
  bytesEach: number;
  /** Answers with another status than 200, and broken connections. */
  failed: number;
  /** Of these the answers. */
  refused: number;
  /** Milliseconds until an answer: the median, and the 99th of a hundred. */
  p50: number;
  p99: number;
}

/** Runs wrk with 64 connections, or as many as told, for some seconds. */
export async function load(
  url: string,
  seconds: number,
  options: {
    headers?: string[];
    script?: string;
    env?: Record<string, string>;
    connections?: number;
  } = {},
): Promise<Load> {
  const args = [
    "-t1",
    `-c${options.connections ?? 64}`,
    `-d${seconds}s`,
    "--timeout=10s",
    "--latency",
  ];
  for (const header of options.headers ?? []) args.push("-H", header);
  if (options.script) args.push("-s", options.script);
  const { stdout, success } = await new Deno.Command("wrk", {
    args: [...args, url],
    env: options.env ?? {},
    stdout: "piped",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("wrk failed; it comes with Debian's package wrk");
  const text = new TextDecoder().decode(stdout);
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const broken = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text);
  const refused = number(/Non-2xx or 3xx responses: (\d+)/);
  const milliseconds = (part: number) => {
    const [, n, unit] = new RegExp(`^\\s+${part}%\\s+([\\d.]+)(us|ms|s)\\s*$`, "m").exec(text) ??
      [];
    return Number(n) * (unit === "us" ? 0.001 : unit === "s" ? 1000 : 1);
  };
  const requests = number(/(\d+) requests in/);
  const [, amount, unit = "B"] = /([\d.]+)(B|KB|MB|GB) read/.exec(text) ?? [];
  const bytes = Number(amount) * 1024 ** ["B", "KB", "MB", "GB"].indexOf(unit);
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    requests,
    bytesEach: bytes / requests,
    failed: refused + (broken ? broken.slice(1).reduce((sum, n) => sum + Number(n), 0) : 0),
    refused,
    p50: milliseconds(50),
    p99: milliseconds(99),
  };
}
