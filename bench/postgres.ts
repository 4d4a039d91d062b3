/**
 * PostgreSQL beside SQLite and beside a bare server that answers the same bytes: `deno run -A bench/postgres.ts`.
 * All are loaded in turns, round by round; with two nodes, both at once. It starts a PostgreSQL of its own with
 * PostgreSQL's default settings, flushes included, and removes it again. Prints tables in Markdown.
 * `--rows 1000,100000,1000000` are the sizes of the stores of requests, `--table 100000` the one that is also
 * written to and served by two nodes; `--distances 0,5,20` milliseconds to the database and back; `--rounds 3`,
 * `--seconds 2`; `--keep DIR` keeps the SQLite stores for another run.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fullKeyRequest } from "../src/key-requests/key-requests.example.ts";
import { type PostgresServer, startPostgres } from "../test/support/postgres.ts";
import { cpuOf, load, type Server, startBare, startKeydesk } from "./processes.ts";
import { slowProxy } from "../test/support/slow-proxy.ts";
import { prepareStores, type Stores } from "./stores.ts";

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
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-postgres-" });
await Deno.mkdir(folder, { recursive: true });

/** Who is asked: one server, or several at once. */
interface Target {
  name: string;
  nodes: Server[];
  /** Their database's first process, where it is not part of them. */
  database?: number;
}

/** What is asked, by wrk. */
interface Call {
  name: string;
  path: string;
  script?: string;
  env?: Record<string, string>;
  headers?: string[];
  /** What the bare server answers; without it, what the first target does to this request. */
  answer?: string;
  ask?: RequestInit;
  /** Each id of the list may be asked for once. */
  once?: boolean;
  connections?: number;
}

/** What a target did in one round; the processor times are microseconds a request. */
interface Measured {
  perSecond: number;
  node: number;
  database: number;
}

/** How many ids of the list each engine has used up. */
const used = new Map<string, number>();
const speed: string[][] = [];
const cost: string[][] = [];
const far: string[][] = [];
const loads: string[] = [];
const failures: string[] = [];
/** What has been started and not ended. */
const running = new Set<Server>();

const postgres = await startPostgres({
  durable: true,
  // PostgreSQL's own default, where tests are content with less.
  settings: { shared_buffers: "128MB", io_method: "worker", log_checkpoints: true },
});
try {
  const database = await postmasterOf(postgres);
  for (const rows of values.rows.split(",").filter(Boolean).map(Number)) {
    await measureRequests(rows, database);
  }
  await measureVerification(database);
} finally {
  await Promise.all([...running].map(end));
  await postgres.stop();
  if (!values.keep) await Deno.remove(folder, { recursive: true });
}
print();

async function measureRequests(rows: number, database: number): Promise<void> {
  const stores = await prepareStores(folder, postgres, { rows, kind: "requests" });
  const whole = rows === Number(values.table);
  const targets = await startTargets(stores, database, whole ? [1, 2] : [1]);
  const headers = [`Authorization: ${stores.credential}`];
  const ask = { headers: { authorization: stores.credential } };
  const name = rows.toLocaleString("en");
  const base = "/api/portal/requests";
  const [first] = (await Deno.readTextFile(stores.list)).split("\n");
  const env = { BENCH_IDS: stores.list, BENCH_PREFIX: `${base}/` };
  const script = "bench/wrk/from-list.lua";
  const one = { name: `read one of ${name}`, path: `${base}/${first}` };
  await compare({ ...one, headers, ask, script, env }, targets);
  const last = Math.ceil(rows / 10);
  for (const page of [1, Math.ceil(last / 2), last]) {
    const call = {
      name: `page ${page.toLocaleString("en")} of ${name}`,
      path: `${base}?p=${page}`,
    };
    await compare({ ...call, headers, ask }, targets);
  }
  if (whole) {
    await compare(await createCall(stores), targets);
    await compare({
      name: "approve",
      path: `${base}/approve/`,
      answer: JSON.stringify({ RawKey: "x".repeat(136), Password: "" }),
      env: { ...env, BENCH_PREFIX: `${base}/approve/`, BENCH_METHOD: "PUT" },
      ...{ headers, script, once: true },
    }, targets);
  }
  await stop(targets);
}

async function measureVerification(database: number): Promise<void> {
  const stores = await prepareStores(folder, postgres, { rows: 20_000, kind: "keys" });
  const targets = await startTargets(stores, database, [1, 2]);
  const calls = await verificationCalls(stores);
  for (const call of calls) await compare(call, targets);
  await stop(targets);

  const { port } = new URL(stores.settings.KEYDESK_DATABASE_URL);
  for (const ms of values.distances.split(",").filter(Boolean).map(Number)) {
    // Even a proxy that adds nothing costs time.
    const proxy = ms > 0 ? slowProxy(Number(port), ms) : undefined;
    const url = new URL(stores.settings.KEYDESK_DATABASE_URL);
    url.port = String(proxy?.port ?? port);
    const settings = { ...stores.settings, KEYDESK_DATABASE_URL: url.href };
    const node = await begin(startKeydesk(stores.dataDir, settings));
    const target = { name: `${ms} ms`, nodes: [node], database };
    const create = await createCall(stores);
    const row = [`${ms} ms`];
    for (const call of [...calls, create]) {
      const [bare, ours] = await inTurns(call, [target]);
      if (bare && ours) {
        row.push(withRatio(ours, bare, "perSecond"), median(ours, "node").toFixed(0));
      }
    }
    for (const call of [calls[0], create]) {
      if (!call) continue;
      const [, alone] = await inTurns({ ...call, connections: 1 }, [target]);
      if (alone) row.push((1000 / median(alone, "perSecond")).toFixed(2));
    }
    far.push(row);
    console.error([...row, ...failures].join("\t"));
    await end(node);
    proxy?.stop();
  }
}

async function createCall(stores: Stores): Promise<Call> {
  const body = join(folder, "body.json");
  // Requests of many developers, as in life: each is counted among its developer's.
  const request = {
    ...fullKeyRequest,
    by_user: "developer-{n}",
    portal_developer: { ...fullKeyRequest.portal_developer, id: "developer-{n}", email: "" },
  };
  await Deno.writeTextFile(body, JSON.stringify(request));
  return {
    name: "create (full body)",
    path: "/api/portal/requests",
    headers: [`Authorization: ${stores.credential}`],
    script: "bench/wrk/post.lua",
    env: { BENCH_BODY: body },
    answer: JSON.stringify({ Status: "OK", Message: "0".repeat(24), Meta: null }),
  };
}

async function verificationCalls(stores: Stores): Promise<Call[]> {
  const [key = ""] = (await Deno.readTextFile(stores.list)).split("\n");
  const env = { BENCH_KEYS: stores.list, BENCH_CREDENTIAL: stores.credential };
  const script = "bench/wrk/keys.lua";
  return [{
    name: "verify",
    path: "/v1/keys/verify",
    ...{ script, env: { ...env, BENCH_ASKED: "verify" } },
    ask: {
      method: "POST",
      headers: { authorization: stores.credential, "content-type": "application/json" },
      body: JSON.stringify({ key, api_id: "weather" }),
    },
  }, {
    name: "forward-auth",
    path: "/v1/forward-auth?api=weather",
    ...{ script, env: { ...env, BENCH_ASKED: "forward-auth" } },
    ask: { headers: { "x-keydesk-authorization": stores.credential, authorization: key } },
  }];
}

/** SQLite, and PostgreSQL with each of these numbers of nodes; all run all the time, idle unless asked. */
async function startTargets(
  stores: Stores,
  database: number,
  sizes: number[],
): Promise<Target[]> {
  const targets: Target[] = [{
    name: "SQLite",
    nodes: [await begin(startKeydesk(stores.dataDir))],
  }];
  const nodes: Server[] = [];
  for (const size of sizes) {
    while (nodes.length < size) {
      nodes.push(await begin(startKeydesk(stores.dataDir, stores.settings)));
    }
    targets.push({ name: `PostgreSQL, ${size}`, nodes: [...nodes], database });
  }
  return targets;
}

async function begin(server: Promise<Server>): Promise<Server> {
  const one = await server;
  running.add(one);
  return one;
}

async function end(server: Server): Promise<void> {
  running.delete(server);
  await server.stop();
}

async function stop(targets: Target[]): Promise<void> {
  for (const node of new Set(targets.flatMap(({ nodes }) => nodes))) await end(node);
}

async function compare(call: Call, targets: Target[]): Promise<void> {
  const [bare, ...ours] = await inTurns(call, targets);
  if (!bare) return;
  const ratios = ours.map((each) => withRatio(each, bare, "perSecond"));
  speed.push([call.name, median(bare, "perSecond").toFixed(0), ...ratios]);
  const spent = ours.flatMap((each, n) => {
    const own = withRatio(each, bare, "node");
    return targets[n]?.database === undefined ? [own] : [own, median(each, "database").toFixed(0)];
  });
  cost.push([call.name, median(bare, "node").toFixed(0), ...spent]);
  for (const row of [speed.at(-1), cost.at(-1)]) console.error(row?.join("\t"));
}

/** A bare server and then each target, round by round, after a round that does not count. */
async function inTurns(call: Call, targets: Target[]): Promise<Measured[][]> {
  const bare = await bareFor(call, targets);
  const all: Target[] = [{ name: "bare", nodes: [bare] }, ...targets];
  const results: Measured[][] = all.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [n, target] of all.entries()) {
      const measured = await measure(call, target);
      if (round > 0) results[n]?.push(measured);
    }
  }
  loads.push((await Deno.readTextFile("/proc/loadavg")).split(" ")[0] ?? "");
  await end(bare);
  return results;
}

async function measure(call: Call, target: Target): Promise<Measured> {
  const { nodes, database } = target;
  const engine = database === undefined ? target.name : "PostgreSQL";
  const skip = call.once ? used.get(engine) ?? 0 : 0;
  const nodeCpu = await cpuOf(nodes.map(({ pid }) => pid));
  const databaseCpu = await cpuOf(database === undefined ? [] : [database], { children: true });
  const results = await Promise.all(
    nodes.map((node, n) =>
      load(`${node.url}${call.path}`, seconds, {
        ...call,
        connections: call.connections ?? 64 / nodes.length,
        env: { ...call.env, BENCH_SKIP: String(skip + n), BENCH_STEP: String(nodes.length) },
      })
    ),
  );
  const spent = { node: await nodeCpu(), database: await databaseCpu() };
  const failed = results.reduce((sum, { failed }) => sum + failed, 0);
  if (failed > 0) failures.push(`${call.name}, ${target.name}: ${failed} failed answers`);
  // Those under way when the time ran out count too.
  const most = Math.max(...results.map(({ requests }) => requests)) + 128;
  if (call.once) used.set(engine, skip + nodes.length * most);
  const requests = results.reduce((sum, { requests }) => sum + requests, 0);
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    node: spent.node / requests,
    database: spent.database / requests,
  };
}

async function bareFor(call: Call, targets: Target[]): Promise<Server> {
  const body = join(folder, "answer");
  if (call.answer !== undefined) {
    await Deno.writeTextFile(body, call.answer);
    return await begin(startBare(body));
  }
  const answer = await fetch(`${targets[0]?.nodes[0]?.url}${call.path}`, call.ask);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${call.name}: ${answer.status} ${text}`);
  await Deno.writeTextFile(body, text);
  const headers = join(folder, "headers.json");
  const own = [...answer.headers].filter(([name]) => !/^(date|vary|content-length)$/.test(name));
  await Deno.writeTextFile(headers, JSON.stringify(Object.fromEntries(own)));
  return await begin(startBare(body, headers));
}

function median(results: Measured[], what: keyof Measured): number {
  return middle(results.map((result) => result[what]));
}

/** The median, and in brackets the median of its ratios to the bare server of the same round. */
function withRatio(ours: Measured[], bare: Measured[], what: keyof Measured): string {
  const ratios = ours.map((result, round) => result[what] / (bare[round]?.[what] ?? NaN));
  return `${median(ours, what).toFixed(0)} (${middle(ratios).toFixed(2)})`;
}

function middle(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low = NaN, high = NaN] = [(sorted.length - 1) / 2, sorted.length / 2]
    .map((at) => sorted[Math.floor(at)]);
  return (low + high) / 2;
}

async function postmasterOf(server: PostgresServer): Promise<number> {
  return Number(
    (await Deno.readTextFile(join(server.folder, "data/postmaster.pid"))).split("\n")[0],
  );
}

function print(): void {
  const table = (head: string[], rows: string[][]) => [
    `| ${head.join(" | ")} |`,
    `|${"---|".repeat(head.length)}`,
    // Stores that two nodes did not serve have no figures for them.
    ...rows.map((row) => `| ${[...row, ...head.slice(row.length).map(() => "")].join(" | ")} |`),
    "",
  ];
  const lines = [
    `Load of the machine: ${loads.toSorted((a, b) => Number(a) - Number(b)).at(0)} to ${
      loads.toSorted((a, b) => Number(a) - Number(b)).at(-1)
    }.`,
    "",
    ...failures,
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
      [
        "further away",
        ...["verify/s", "µs", "forward-auth/s", "µs", "create/s", "µs"],
        ...["one verify, ms", "one create, ms"],
      ],
      far,
    ),
  ];
  console.log(lines.join("\n"));
}
