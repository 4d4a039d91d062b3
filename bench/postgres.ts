/**
 * PostgreSQL beside SQLite and beside a bare server that answers the same bytes:
 * `deno run -A bench/postgres.ts`. All are loaded in turns, round by round; with two nodes, both at
 * once. It starts a PostgreSQL of its own with PostgreSQL's default settings, flushes included, and
 * removes it again. Prints tables in Markdown. `--rows 1000,100000,1000000` are the sizes of the
 * stores of requests, `--table 100000` the one that is also written to and served by two nodes;
 * `--distances 0,5,20` milliseconds to the database and back; `--rounds 3`, `--seconds 2`;
 * `--keep DIR` keeps the SQLite stores for another run.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type PostgresServer, startPostgres } from "../test/support/postgres.ts";
import { slowProxy } from "../test/support/slow-proxy.ts";
import { createCall, requestCalls, verificationCalls } from "./calls.ts";
import * as compare from "./compare.ts";
import { load, startKeydesk } from "./processes.ts";
import { prepareStores, type Stores } from "./stores.ts";
import { statusesOf, table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000,100000,1000000" },
    table: { type: "string", default: "100000" },
    distances: { type: "string", default: "0,5,20" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "2" },
    keep: { type: "string" },
  },
});
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-postgres-" });
await Deno.mkdir(folder, { recursive: true });
const measuring: compare.Measuring = {
  rounds: roundsOf(values.rounds),
  seconds: Number(values.seconds),
  folder,
  failures: [],
  used: new Map(),
};

const speed: string[][] = [];
const cost: string[][] = [];
const far: string[][] = [];

const postgres = await startPostgres({
  durable: true,
  // PostgreSQL's own default, where tests are content with less.
  settings: { shared_buffers: "128MB", io_method: "worker", log_checkpoints: true },
});
try {
  const database = await postmasterOf(postgres);
  for (const rows of numbers(values.rows)) await measureRequests(rows, database);
  await measureVerification(database);
} finally {
  await compare.endAll();
  await postgres.stop();
  if (!values.keep) await Deno.remove(folder, { recursive: true });
}
print();

async function measureRequests(rows: number, database: number): Promise<void> {
  const stores = await prepareStores(folder, postgres, { rows, kind: "requests" });
  const whole = rows === Number(values.table);
  const targets = await startTargets(stores, database, whole ? [1, 2] : [1]);
  for (const call of await requestCalls(stores, folder, whole)) await note(call, targets);
  await stop(targets);
}

async function measureVerification(database: number): Promise<void> {
  const stores = await prepareStores(folder, postgres, { rows: 20_000, kind: "keys" });
  const targets = await startTargets(stores, database, [1, 2]);
  const calls = await verificationCalls(stores);
  for (const call of calls) await note(call, targets);
  await stop(targets);
  await measureDistances([...calls, await createCall(stores, folder)], stores, database);
}

/** The same calls to nodes whose database is farther and farther away, in turns too. */
async function measureDistances(
  calls: compare.Call[],
  stores: Stores,
  database: number,
): Promise<void> {
  const { port } = new URL(stores.settings.KEYDESK_DATABASE_URL);
  const targets: compare.Target[] = [];
  const proxies: { stop(): void }[] = [];
  for (const ms of numbers(values.distances)) {
    const url = new URL(stores.settings.KEYDESK_DATABASE_URL);
    // Even a proxy that adds nothing costs time.
    if (ms > 0) {
      const proxy = slowProxy(Number(port), ms);
      proxies.push(proxy);
      url.port = String(proxy.port);
    }
    const settings = { ...stores.settings, KEYDESK_DATABASE_URL: url.href };
    const node = await compare.begin(startKeydesk(stores.dataDir, settings));
    const target = { name: `${ms} ms`, nodes: [node], database };
    targets.push(target);
    await useEveryKey(calls, target, stores.rows, ms);
  }
  for (const call of calls) {
    for (const connections of [64, 1]) {
      const each = { ...call, name: `${call.name}, ${connections} at once`, connections };
      const [bare, near = [], ...farther] = await compare.inTurns(each, targets, measuring);
      for (const [n, ours] of [near, ...farther].entries()) {
        const row = [
          each.name,
          targets[n]?.name ?? "",
          compare.withRatio(ours, bare, "perSecond"),
          compare.ratio(ours, near, "perSecond").toFixed(2),
          compare.median(ours, "node").toFixed(0),
          compare.median(ours, "p50").toFixed(1),
          compare.median(ours, "p99").toFixed(1),
        ];
        far.push(row);
        console.error(row.join("\t"));
      }
    }
  }
  for (const { name, nodes } of targets) {
    for (const node of nodes) {
      const statuses = statusesOf(await compare.end(node));
      measuring.failures.push(`All answers at ${name}: ${statuses}`);
    }
  }
  for (const proxy of proxies) proxy.stop();
}

/** The first use of a key on a node reads it: as often at once as there are connections, 16. */
async function useEveryKey(
  [call]: compare.Call[],
  { name, nodes: [node] }: compare.Target,
  keys: number,
  ms: number,
): Promise<void> {
  if (!call || !node) return;
  const seconds = Math.ceil(3 + 1.5 * keys / 16 * (ms + 1) / 1000);
  const { requests } = await load(`${node.url}${call.path}`, seconds, { ...call });
  console.error(`${name}: ${requests} verifications to know ${keys} keys`);
  if (requests < 1.5 * keys) throw new Error(`${name}: too few to know every key`);
}

/**
 * SQLite, and PostgreSQL with each of these numbers of nodes; all run all the time, idle unless
 * asked.
 */
async function startTargets(
  stores: Stores,
  database: number,
  sizes: number[],
): Promise<compare.Target[]> {
  const { dataDir, settings } = stores;
  const targets: compare.Target[] = [
    { name: "SQLite", nodes: [await compare.begin(startKeydesk(dataDir))] },
  ];
  const nodes: compare.Target["nodes"] = [];
  for (const size of sizes) {
    while (nodes.length < size) nodes.push(await compare.begin(startKeydesk(dataDir, settings)));
    targets.push({ name: `PostgreSQL, ${size}`, nodes: [...nodes], database });
  }
  return targets;
}

async function stop(targets: compare.Target[]): Promise<void> {
  for (const node of new Set(targets.flatMap(({ nodes }) => nodes))) await compare.end(node);
}

async function note(call: compare.Call, targets: compare.Target[]): Promise<void> {
  const [bare, ...ours] = await compare.inTurns(call, targets, measuring);
  const ratios = ours.map((each) => compare.withRatio(each, bare, "perSecond", 0));
  speed.push([call.name, compare.median(bare, "perSecond").toFixed(0), ...ratios]);
  const spent = ours.flatMap((each, n) => {
    const own = compare.withRatio(each, bare, "node");
    const isAlone = targets[n]?.database === undefined;
    return isAlone ? [own] : [own, compare.median(each, "database").toFixed(0)];
  });
  cost.push([call.name, compare.median(bare, "node").toFixed(0), ...spent]);
  for (const row of [speed.at(-1), cost.at(-1)]) console.error(row?.join("\t"));
}

async function postmasterOf(server: PostgresServer): Promise<number> {
  const file = await Deno.readTextFile(join(server.folder, "data/postmaster.pid"));
  return Number(file.split("\n")[0]);
}

function numbers(text: string): number[] {
  return text.split(",").filter(Boolean).map(Number);
}

function print(): void {
  console.log([
    "",
    ...measuring.failures,
    "",
    ...table(
      ["requests/s (ratio)", "bare server", "SQLite", "PostgreSQL, one node", "two nodes"],
      speed,
    ),
    ...table(
      ["µs of CPU (ratio)", "bare", "SQLite", "one node", "its database", "two nodes", "database"],
      cost,
    ),
    ...table(
      ["call", "away", "requests/s (ratio)", "of 0 ms", "µs of CPU", "p50, ms", "p99, ms"],
      far,
    ),
  ].join("\n"));
}
