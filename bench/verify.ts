/**
 * Verification beside a bare server that answers one of its answers: `deno run -A bench/verify.ts`. Both under the
 * same load in turns, each request with another key. `--rows 1000000` keys are stored, `--used 100000` of them used;
 * `--rounds 3`, `--seconds 4`; `--keep DIR` keeps the store for another run.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  cpuMicros,
  type Load,
  load,
  residentMiB,
  type Server,
  startBare,
  startKeydesk,
} from "./processes.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    used: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    keep: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-verify-" });
const dataDir = join(folder, `keys-${values.rows}`);
const list = `${dataDir}.${values.used}`;
await Deno.mkdir(folder, { recursive: true });
await fill();

const keys = (await Deno.readTextFile(list)).trim().split("\n");
const server = await startKeydesk(dataDir);
const credential = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
const rows: string[][] = [];
const memory: [string, number][] = [["at rest", await residentMiB(server.pid)]];
const ways = [
  { asked: "verify", path: "/v1/keys/verify", send: sendVerify },
  { asked: "forward-auth", path: "/v1/forward-auth?api=weather", send: sendForward },
];
for (const { send } of ways.slice(0, 1)) await useAll(send);
memory.push([`${keys.length} keys used`, await residentMiB(server.pid)]);
for (const way of ways) await compare(way);
memory.push(["after the load", await residentMiB(server.pid)]);
await server.stop();
if (!values.keep) await Deno.remove(folder, { recursive: true });
print();

type Send = (key: string) => Promise<Response>;

function sendVerify(key: string): Promise<Response> {
  const body = JSON.stringify({ key, api_id: "weather" });
  return fetch(`${server.url}/v1/keys/verify`, {
    method: "POST",
    headers: { authorization: credential, "content-type": "application/json" },
    body,
  });
}

function sendForward(key: string): Promise<Response> {
  return fetch(`${server.url}/v1/forward-auth?api=weather`, {
    headers: { "x-keydesk-authorization": credential, authorization: key },
  });
}

/** Every key once, so that memory holds what it will hold. */
async function useAll(send: Send): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: 32 }, async () => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) {
      const answer = await send(key);
      const { valid } = await answer.json();
      if (valid !== true) throw new Error(`a key of the store is refused: ${answer.status}`);
    }
  }));
}

async function compare({ asked, path, send }: typeof ways[number]): Promise<void> {
  const answer = await send(keys[0] ?? "");
  const body = join(folder, "answer");
  await Deno.writeTextFile(body, await answer.text());
  const headers = join(folder, "headers.json");
  const own = [...answer.headers].filter(([name]) => !/^(date|vary|content-length)$/.test(name));
  await Deno.writeTextFile(headers, JSON.stringify(Object.fromEntries(own)));
  const bare = await startBare(body, headers);
  const env = { BENCH_KEYS: list, BENCH_ASKED: asked, BENCH_CREDENTIAL: credential };
  const run = (target: Server) =>
    measured(
      target,
      () => load(`${target.url}${path}`, seconds, { script: "bench/wrk/keys.lua", env }),
    );
  await run(bare);
  await run(server);
  const results: { ours: Measured; bare: Measured }[] = [];
  for (let round = 0; round < rounds; round++) {
    const reference = await run(bare);
    const ours = await run(server);
    if (ours.failed > 0) throw new Error(`${asked}: ${ours.failed} failed answers`);
    results.push({ ours, bare: reference });
  }
  await bare.stop();
  const ratioOf = (one: typeof results[number]) => one.ours.perSecond / one.bare.perSecond;
  results.sort((a, b) => ratioOf(a) - ratioOf(b));
  const median = results[Math.floor(results.length / 2)];
  if (!median) return;
  const ratios = results.map((one) => ratioOf(one).toFixed(2));
  rows.push([
    asked,
    median.ours.perSecond.toFixed(0),
    median.bare.perSecond.toFixed(0),
    ratioOf(median).toFixed(2),
    `${ratios.at(0)}–${ratios.at(-1)}`,
    median.ours.cpuMicros.toFixed(1),
    median.bare.cpuMicros.toFixed(1),
  ]);
}

/** A load and the processor time that one request of it cost the server. */
type Measured = Load & { cpuMicros: number };

async function measured(target: Server, run: () => Promise<Load>): Promise<Measured> {
  const before = await cpuMicros(target.pid);
  const result = await run();
  const spent = await cpuMicros(target.pid) - before;
  return { ...result, cpuMicros: spent / result.requests };
}

/** Starts once, so that the organisation is there, then fills. */
async function fill(): Promise<void> {
  try {
    await Deno.stat(list);
    return;
  } catch {
    await (await startKeydesk(dataDir)).stop();
    const options = ["--rows", values.rows, "--used", values.used, "--keys", list];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "bench/fill-keys.ts", "--data", dataDir, ...options],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }
}

function print(): void {
  const lines = [
    "| what | Keydesk, requests/s | bare server | ratio | rounds | µs of CPU each | bare |",
    "|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
    `| memory, ${values.rows} keys stored | MiB |`,
    "|---|---|",
    ...memory.map(([what, mib]) => `| ${what} | ${mib.toFixed(0)} |`),
  ];
  console.log(lines.join("\n"));
}
