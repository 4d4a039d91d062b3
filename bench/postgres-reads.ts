/**
 * What calls cost on PostgreSQL, beside a bare server that answers the same bytes and beside other
 * code in turns: `deno run -A bench/postgres-reads.ts --before FOLDER`, a checkout with its
 * node_modules; without it this code alone. It starts a PostgreSQL of its own with PostgreSQL's
 * default settings, flushes included, and removes it again. `--rows 1000,100000,1000000` are the
 * sizes of the stores, `--writes 100000` those that are also written to, `--beside 1000` those that
 * are read while 50 requests a second are created; `--rounds 5`, `--seconds 2`, `--connections 64`;
 * `--keep DIR` keeps the filled SQLite stores for another run. Prints a table in Markdown.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/support/postgres.ts";
import { requestCalls } from "./calls.ts";
import * as compare from "./compare.ts";
import { startKeydesk } from "./processes.ts";
import { prepareStores, type Stores } from "./stores.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    rows: { type: "string", default: "1000,100000,1000000" },
    writes: { type: "string", default: "100000" },
    beside: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    connections: { type: "string", default: "64" },
    keep: { type: "string" },
  },
});
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-postgres-" });
await Deno.mkdir(folder, { recursive: true });
const trees = values.before === undefined
  ? { now: "." }
  : { before: resolve(values.before), now: "." };
const measuring: compare.Measuring = {
  rounds: roundsOf(values.rounds),
  seconds: Number(values.seconds),
  folder,
  failures: [],
  used: new Map(),
};
/** Between two requests that are created beside. */
const BESIDE_MS = 20;

const rows: string[][] = [];
const postgres = await startPostgres({
  durable: true,
  // PostgreSQL's own default, where tests are content with less.
  settings: { shared_buffers: "128MB", io_method: "worker", log_checkpoints: true },
});
try {
  const pidFile = await Deno.readTextFile(join(postgres.folder, "data/postmaster.pid"));
  const database = Number(pidFile.split("\n")[0]);
  for (const size of numbers(values.rows)) await measure(size, database);
} finally {
  await compare.endAll();
  await postgres.stop();
  if (!values.keep) await Deno.remove(folder, { recursive: true });
}
print();

async function measure(size: number, database: number): Promise<void> {
  const stores = await prepareStores(folder, postgres, { rows: size, kind: "requests" });
  const targets: compare.Target[] = [];
  for (const [name, tree] of Object.entries(trees)) {
    const node = await compare.begin(startKeydesk(stores.dataDir, stores.settings, tree));
    targets.push({ name, nodes: [node], database });
  }
  const connections = Number(values.connections);
  const calls = await requestCalls(stores, folder, numbers(values.writes).includes(size));
  const reads = calls.slice(0, 4);
  for (const call of reads) await note({ ...call, connections }, targets);
  if (numbers(values.beside).includes(size)) {
    const stop = createBeside(stores, targets[0]?.nodes[0]?.url ?? "");
    for (const call of reads) {
      await note({ ...call, connections, name: `${call.name}, under writes` }, targets);
    }
    await stop();
  }
  for (const call of calls.slice(4)) await note({ ...call, connections }, targets);
  for (const { nodes } of targets) for (const node of nodes) await compare.end(node);
}

/**
 * Creates requests one after another through the first node, evenly; the function given ends that.
 */
function createBeside(stores: Stores, url: string): () => Promise<void> {
  let going = true;
  const headers = { authorization: stores.credential, "content-type": "application/json" };
  const body = (n: number) => JSON.stringify({ for_plan: "weather", by_user: `beside-${n}` });
  const work = (async () => {
    for (let n = 0; going; n++) {
      const answer = await fetch(`${url}/api/portal/requests`, {
        method: "POST",
        headers,
        body: body(n),
      });
      await answer.text();
      await new Promise((resolve) => setTimeout(resolve, BESIDE_MS));
    }
  })();
  return async () => {
    going = false;
    await work;
  };
}

async function note(call: compare.Call, targets: compare.Target[]): Promise<void> {
  const [bare, ...ours] = await compare.inTurns(call, targets, measuring);
  for (const [n, { name }] of targets.entries()) {
    const [mine = [], first = []] = [ours[n], ours[0]];
    const ofFirst = (what: "node" | "database") =>
      n === 0
        ? ""
        : `${compare.ratio(mine, first, what).toFixed(2)} (${compare.spread(mine, first, what)})`;
    const row = [
      call.name,
      name,
      compare.withRatio(mine, bare, "perSecond"),
      compare.withRatio(mine, bare, "node"),
      compare.median(mine, "database").toFixed(0),
      ofFirst("node"),
      ofFirst("database"),
      compare.median(mine, "p50").toFixed(1),
      compare.median(mine, "p99").toFixed(1),
    ];
    rows.push(row);
    console.error(row.join("\t"));
  }
}

function numbers(text: string): number[] {
  return text.split(",").filter(Boolean).map(Number);
}

function print(): void {
  const head = ["call", "code", "calls/s (of bare)", "µs of the node (of bare)"];
  const more = ["µs of the database", "node ÷ before", "database ÷ before", "p50, ms", "p99, ms"];
  console.log([
    "",
    ...measuring.failures,
    "",
    ...table([...head, ...more], rows),
  ].join("\n"));
}
