/**
 * A desk over time: `deno run -A bench/soak.ts`. A server on SQLite as README starts it, with
 * `--keys 1000000` from before, of which `--used 100000` are presented; `--calls 400` a second for
 * `--minutes 30`, of which `--written 1` of a hundred are a key request and its approval by turns.
 * The rest is verification (three of four), single requests, pages of requests and of keys. Calls
 * are sent when their time has come, whether those before were answered or not, and counted from
 * that time. Prints a line for each `--every 5` minutes: latency, memory, processor time.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cpuOf, residentMiB, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "1000000" },
    used: { type: "string", default: "100000" },
    calls: { type: "string", default: "400" },
    written: { type: "string", default: "1" },
    minutes: { type: "string", default: "30" },
    every: { type: "string", default: "5" },
  },
});
const REQUESTS = "/api/portal/requests";
const PER_SECOND = Number(values.calls);
const EVERY = Math.max(2, Math.round(100 / Number(values.written)));
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-soak-" });
const dataDir = join(folder, "data");
const list = join(folder, "keys");
/** Milliseconds of the calls of this span, by what they asked. */
const took = new Map<string, number[]>();
const failed = new Map<string, number>();

try {
  await (await startKeydesk(dataDir)).stop();
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "bench/fill-keys.ts", "--data", dataDir, "--rows", values.keys]
      .concat("--used", values.used, "--keys", list),
  }).output();
  if (!success) throw new Error("the store was not filled");
  const server = await startKeydesk(dataDir);
  try {
    const keys = (await Deno.readTextFile(list)).trim().split("\n");
    const asking = await askingOf(server.url, keys);
    const head = ["minutes", "calls", "verify, ms: p50", "p95", "p99", "p99.9", "worst"]
      .concat("all others: p95", "p99", "writes: p95", "p99", "MiB", "processor", "failed");
    const lines: string[][] = [];
    for (let from = 0; from < Number(values.minutes); from += Number(values.every)) {
      took.clear();
      failed.clear();
      const used = await cpuOf([server.pid]);
      const seconds = Number(values.every) * 60;
      await askFor(seconds, asking);
      const share = (await used()) / seconds / 1e6;
      const line = await lineOf(`${from + Number(values.every)}`, server.pid, share);
      console.error(line.join(" | "));
      lines.push(line);
    }
    console.log(table(head, lines).join("\n"));
    console.log(`ready after ${server.readyMs.toFixed(0)} ms`);
  } finally {
    await server.stop();
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** What the n-th call asks, and how. */
async function askingOf(
  url: string,
  keys: readonly string[],
): Promise<(n: number) => [string, Promise<Response>]> {
  const authorization = (await Deno.readTextFile(`${dataDir}/administrator-credential`)).trim();
  const headers = { authorization, "content-type": "application/json" };
  const call = (method: string, path: string, body?: object) =>
    fetch(url + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const waiting: string[] = [];
  const known: string[] = [];
  const create = async (n: number) => {
    const answer = await call("POST", REQUESTS, { by_user: `soak-${n}`, for_plan: "plan-1" });
    const { Message } = await answer.clone().json();
    if (!answer.ok) return answer;
    waiting.push(Message);
    known[n % 10_000] = Message;
    return answer;
  };
  for (let n = 0; n < 20; n++) await (await create(n)).body?.cancel();
  for (let n = 0; n < 10_000; n++) known[n] ??= known[n % 20] ?? "";
  let written = 20;
  return (n) => {
    if (n % EVERY === 0) {
      const id = (written % 2 === 0) ? undefined : waiting.shift();
      written++;
      if (id === undefined) return ["write", create(written)];
      return ["write", call("PUT", `${REQUESTS}/approve/${id}`)];
    }
    const turn = n % 16;
    if (turn === 1) return ["read", call("GET", `${REQUESTS}?p=1`)];
    if (turn === 2) return ["read", call("GET", "/v1/keys?limit=25")];
    if (turn < 5) return ["read", call("GET", `${REQUESTS}/${known[(n * 7919) % 10_000]}`)];
    const key = keys[(n * 7919) % keys.length];
    return ["verify", call("POST", "/v1/keys/verify", { key })];
  };
}

/** Calls for some seconds, and gives way until all of them are answered. */
async function askFor(
  seconds: number,
  ask: (n: number) => [string, Promise<Response>],
): Promise<void> {
  const began = performance.now();
  const open = new Set<Promise<void>>();
  for (let n = 1; n <= seconds * PER_SECOND; n++) {
    const due = began + n * 1000 / PER_SECOND;
    while (performance.now() < due) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    }
    const [kind, sent] = ask(n);
    const answered = answeredIn(kind, sent, due).finally(() => open.delete(answered));
    open.add(answered);
  }
  await Promise.all(open);
}

async function answeredIn(kind: string, sent: Promise<Response>, due: number): Promise<void> {
  try {
    const answer = await sent;
    await answer.arrayBuffer();
    if (!answer.ok) failed.set(`${answer.status}`, (failed.get(`${answer.status}`) ?? 0) + 1);
  } catch (error) {
    failed.set(String(error), (failed.get(String(error)) ?? 0) + 1);
  }
  const times = took.get(kind) ?? [];
  took.set(kind, times);
  times.push(performance.now() - due);
}

async function lineOf(minutes: string, pid: number, share: number): Promise<string[]> {
  const sorted = (kind: string) => (took.get(kind) ?? []).toSorted((a, b) => a - b);
  const at = (times: number[], part: number) =>
    (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? NaN).toFixed(1);
  const [verify, read, write] = ["verify", "read", "write"].map(sorted) as [
    number[],
    number[],
    number[],
  ];
  return [
    minutes,
    String(verify.length + read.length + write.length),
    ...[0.5, 0.95, 0.99, 0.999, 1].map((part) => at(verify, part)),
    ...[0.95, 0.99].map((part) => at(read, part)),
    ...[0.95, 0.99].map((part) => at(write, part)),
    (await residentMiB(pid)).toFixed(0),
    share.toFixed(2),
    [...failed].map(([what, count]) => `${count} × ${what}`).join() || "0",
  ];
}
