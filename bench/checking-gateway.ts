/**
 * `deno run -A bench/checking-gateway.ts`: what Keydesk before an API adds. Each proxy
 * before an API that answers at once, alone and with its file of docs/gateways, in turns; each call
 * with another key of `--used 2000`. With 64 connections for calls a second and processor time,
 * with one connection for the time that a call takes. `--proxies nginx,caddy,haproxy,envoy`
 * (Debian's packages, and a Python package for Envoy), `--rounds 5`, `--seconds 2`, `--before
 * FOLDER`: and with the files of that folder, `--than FOLDER`: and with the server of that
 * checkout. Prints a table in Markdown.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { placeGateway } from "../system/support/placed-gateways.ts";
import { type Door, files, freePort, startProxy } from "../system/support/proxies.ts";
import { middle } from "./compare.ts";
import { cpuOf, load, type Server, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    proxies: { type: "string", default: "nginx,haproxy,envoy,caddy" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    keys: { type: "string", default: "20000" },
    used: { type: "string", default: "2000" },
    before: { type: "string" },
    than: { type: "string" },
  },
});

/** What one way did in one round; microseconds of processor a call, milliseconds. */
interface Measured {
  perSecond: number;
  proxy: number;
  desk: number;
  p50: number;
  p99: number;
}
type Way = { name: string; asks: Server; start: () => Promise<Door> };

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-gateway-" });
const dataDir = join(folder, "desk");
const list = join(folder, "keys");
await fill();
const desk = await startKeydesk(dataDir);
const other = values.than === undefined
  ? undefined
  : await startKeydesk(dataDir, {}, resolve(values.than));
const DESK_CREDENTIAL = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
const api = await start("nginx", "bench/checking-gateway/api.nginx.conf", { API_ADDRESS: "" });
const rows: string[][] = [];
for (const kind of values.proxies.split(",")) await measureProxy(kind as keyof typeof files);
await api[Symbol.asyncDispose]();
await desk.stop();
await other?.stop();
await Deno.remove(folder, { recursive: true });
const head = ["proxy", "calls/s", "of alone", "rounds", "µs of the proxy", "µs of the desk"];
console.log(table([...head, "p50, ms", "p99, ms", "p50 added", "p99 added"], rows).join("\n"));

async function measureProxy(kind: keyof typeof files): Promise<void> {
  const ofFiles = (from?: string, asks = desk) => () => startGateway(kind, asks, from);
  const ways: Way[] = [
    {
      name: `${kind} alone`,
      asks: desk,
      start: () => start(kind, join("bench/checking-gateway", files[kind]), words(desk)),
    },
    ...(values.before !== undefined
      ? [{ name: `${kind}, before`, asks: desk, start: ofFiles(resolve(values.before)) }]
      : []),
    ...other
      ? [{ name: `${kind} with ${values.than}`, asks: other, start: ofFiles(undefined, other) }]
      : [],
    { name: `${kind} with Keydesk`, asks: desk, start: ofFiles() },
  ];
  const doors = await Promise.all(ways.map(({ start }) => start()));
  const results = ways.map((): Measured[] => []);
  for (let round = 0; round <= roundsOf(values.rounds); round++) {
    for (const [n, door] of doors.entries()) {
      const measured = await measure(door, ways[n]?.asks ?? desk);
      if (round > 0) results[n]?.push(measured);
    }
  }
  await Promise.all(doors.map((door) => door[Symbol.asyncDispose]()));
  const [alone = []] = results;
  for (const [n, { name }] of ways.entries()) {
    const ours = results[n] ?? [];
    const of = (what: keyof Measured) => middle(ours.map((one) => one[what]));
    const ratios = ours.map((one, round) => one.perSecond / (alone[round]?.perSecond ?? NaN));
    const added = (what: "p50" | "p99") =>
      middle(ours.map((one, round) => one[what] - (alone[round]?.[what] ?? NaN))).toFixed(2);
    const spread = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    const row = [name, of("perSecond").toFixed(0)];
    row.push(...n > 0 ? [middle(ratios).toFixed(2), spread.join("–")] : ["", ""]);
    row.push(of("proxy").toFixed(1), n > 0 ? of("desk").toFixed(1) : "");
    row.push(of("p50").toFixed(2), of("p99").toFixed(2));
    rows.push([...row, ...n > 0 ? [added("p50"), added("p99")] : ["", ""]]);
    console.error(rows.at(-1)?.join("\t"));
  }
}

/**
 * The same load on each: throughput and processor time with 64 connections, a call's time with one.
 */
async function measure(door: Door, asks: Server): Promise<Measured> {
  const run = (connections: number, seconds: number) =>
    load(`${door.url}/forecast`, seconds, {
      connections,
      script: "bench/wrk/keys.lua",
      env: { BENCH_KEYS: list, BENCH_ASKED: "door" },
    });
  const proxyCpu = await cpuOf([door.pid], { children: true });
  const deskCpu = await cpuOf([asks.pid]);
  const many = await run(64, Number(values.seconds));
  const spent = { proxy: await proxyCpu(), desk: await deskCpu() };
  const one = await run(1, Math.max(1, Number(values.seconds) / 2));
  if (many.failed + one.failed > 0) throw new Error(`${many.failed + one.failed} failed calls`);
  return {
    perSecond: many.perSecond,
    proxy: spent.proxy / many.requests,
    desk: spent.desk / many.requests,
    p50: one.p50,
    p99: one.p99,
  };
}

function words(asks: Server) {
  return {
    API_ADDRESS: new URL(api.url).host,
    API_ID: "weather",
    DESK_ADDRESS: new URL(asks.url).host,
    DESK_CREDENTIAL,
    GATEWAY_NAME: "",
  };
}

/** With its files of a folder, in their places. */
async function startGateway(
  kind: keyof typeof files,
  asks: Server,
  from?: string,
): Promise<Door> {
  const own = await Deno.makeTempDir({ dir: folder });
  const how = { at: `127.0.0.1:${freePort()}` };
  const filled = { ...words(asks), GATEWAY_ADDRESS: how.at };
  const file = await placeGateway(kind, filled, own, undefined, from);
  return await startProxy(kind, file, "GATEWAY_ADDRESS", words(asks), own, how);
}

async function start(kind: keyof typeof files, file: string, words: Record<string, string>) {
  const own = await Deno.makeTempDir({ dir: folder });
  return await startProxy(kind, resolve(file), "GATEWAY_ADDRESS", words, own);
}

/** Starts once, so that the organisation is there, then fills. */
async function fill(): Promise<void> {
  await (await startKeydesk(dataDir)).stop();
  const sizes = ["--rows", values.keys, "--used", values.used, "--keys", list];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "bench/fill-keys.ts", "--data", dataDir, ...sizes],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
