/**
 * How long a verification takes, and how soon a revocation holds: `deno run -A
 * bench/service-time.ts`. Two nodes on one SQLite store of `--keys 100000`, of which `--used 20000`
 * are presented. First as many calls as 64 connections get from one node in `--seconds 5`, then so
 * long a pause in each connection, at random, that it is about half of that (and once as many
 * connections without a pause as `--few 4`): as the client sees it, as the node's log does from a
 * call's head to its answer, and for the same load a server that answers as many bytes and does
 * nothing else. Then `--revoked 200` keys are revoked at one node, and each is timed from the
 * answer until both nodes refuse it, beside that half load at one of them.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sha256 } from "../src/kernel/sha256.ts";
import { cpuOf, type Server, startBare, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "100000" },
    used: { type: "string", default: "20000" },
    seconds: { type: "string", default: "5" },
    few: { type: "string", default: "4" },
    revoked: { type: "string", default: "200" },
  },
});
const TOKEN = "administrator-of-the-bench-of-time";
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-time-" });
const dataDir = join(folder, "data");
const list = join(folder, "keys");
const settings = {
  KEYDESK_ADMIN_TOKEN: TOKEN,
  KEYDESK_PROCESSES: "2",
};

/** An answer's, about. */
const ANSWER_BYTES = 340;

/** The load that goes on. */
let running: Deno.ChildProcess | undefined;

/** What wrk was told, in microseconds. */
interface Seen {
  perSecond: number;
  at: Map<string, number>;
}

try {
  await (await startKeydesk(dataDir, settings)).stop();
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "bench/fill-keys.ts", "--data", dataDir, "--rows", values.keys]
      .concat("--used", values.used, "--keys", list),
  }).output();
  if (!success) throw new Error("the store was not filled");
  const nodes = [await startKeydesk(dataDir, settings), await startKeydesk(dataDir, settings)];
  let half: [from: number, until: number] | undefined;
  try {
    half = await measure(nodes as [Server, Server]);
  } finally {
    const [lines = []] = await Promise.all(nodes.map((node) => node.stop()));
    if (half) console.log(servedIn(lines, half));
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Gives from when to when there was half load. */
async function measure([one, other]: [Server, Server]): Promise<[number, number]> {
  const seconds = Number(values.seconds);
  await paced(one, 64, 0, seconds);
  const rows: string[][] = [];
  const tell = async (
    name: string,
    connections: number,
    pause: number,
    server = one,
  ): Promise<Seen> => {
    const used = await cpuOf([server.pid]);
    const seen = await paced(server, connections, pause, seconds);
    const share = (await used()) / 1e6 / seconds;
    const parts = [...seen.at.values()].map((micros) => (micros / 1000).toFixed(2));
    rows.push([name, seen.perSecond.toFixed(0), share.toFixed(2), ...parts]);
    return seen;
  };
  const most = await tell("64 connections, all they get", 64, 0);
  const pause = Math.round(64 * 2000 / most.perSecond);
  const from = Date.now();
  await tell(`64 connections, ${pause} ms apart`, 64, pause);
  const until = Date.now();
  const body = join(folder, "body");
  await Deno.writeTextFile(body, "x".repeat(ANSWER_BYTES));
  const bare = await startBare(body);
  try {
    await tell("the same, the bare server", 64, pause, bare);
  } finally {
    await bare.stop();
  }
  await tell(`${values.few} connections, all they get`, Number(values.few), 0);
  const head = ["verify", "calls/s", "processors", "p50, ms", "p95", "p99", "p99.9"];
  console.log(table(head, rows).join("\n"));

  const keys = (await Deno.readTextFile(list)).trim().split("\n").slice(0, Number(values.revoked));
  const load = paced(one, 64, pause, 3600).catch(() => {});
  const holds: number[] = [];
  for (const key of keys) {
    const path = `/v1/keys/${sha256(key)}/revoke`;
    const answer = await call(one, path, { reason: "measured" });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
    const since = performance.now();
    await Promise.all([one, other].map((node) => refusedAt(node, key)));
    holds.push(performance.now() - since);
  }
  stopLoad();
  await load;
  holds.sort((a, b) => a - b);
  const at = (part: number) => (holds[Math.floor(holds.length * part)] ?? NaN).toFixed(0);
  console.log(
    `\nA revocation holds at both nodes ${at(0.5)} ms behind its answer (p99 ${at(0.99)}, worst ${
      at(1 - 1e-9)
    }; ${holds.length} of them).`,
  );
  return [from, until];
}

/** What the log says of each verification in that time. */
function servedIn(lines: readonly string[], [from, until]: [number, number]): string {
  const took = lines.flatMap((line) => {
    if (!line.includes("/v1/keys/verify")) return [];
    const { time, ms } = JSON.parse(line) as { time: string; ms: number };
    const at = Date.parse(time);
    return at >= from && at <= until ? [ms] : [];
  }).sort((a, b) => a - b);
  const at = (part: number) => (took[Math.floor(took.length * part)] ?? NaN).toFixed(2);
  return `\nBy its log, at half load, from the head of a call to its answer, ms: p50 ${at(0.5)}, ` +
    `p95 ${at(0.95)}, p99 ${at(0.99)}, p99.9 ${at(0.999)} (${took.length} calls).`;
}

async function refusedAt(node: Server, key: string): Promise<void> {
  for (;;) {
    const answer = await call(node, "/v1/keys/verify", { key, api_id: "weather" });
    if ((await answer.json()).valid === false) return;
  }
}

function call({ url }: Server, path: string, body: object): Promise<Response> {
  const headers = { authorization: TOKEN, "content-type": "application/json" };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
}

function stopLoad(): void {
  running?.kill("SIGINT");
}

async function paced(
  { url }: Server,
  connections: number,
  pause: number,
  seconds: number,
): Promise<Seen> {
  running = new Deno.Command("wrk", {
    args: ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", "bench/wrk/paced.lua"]
      .concat(`${url}/v1/keys/verify`),
    env: { BENCH_KEYS: list, BENCH_CREDENTIAL: TOKEN, BENCH_DELAY: String(pause) },
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const { stdout } = await running.output();
  const text = new TextDecoder().decode(stdout);
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(text);
  if (refused) throw new Error(text);
  const at = new Map(
    [...text.matchAll(/^percentile ([\d.]+) (\d+)/gm)].map(([, part = "", micros]) => [
      part,
      Number(micros),
    ]),
  );
  return { perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]), at };
}
