/**
 * What taking calls and sending answers costs: this code and a checkout of earlier code
 * (`--before FOLDER`, with its node_modules), each on a store of the same content that it made
 * itself, and a bare server, in turns: `deno run -A bench/listener.ts --before ../x`. Stores are
 * not shared: earlier code refuses one that later code has opened. `--rounds 5`, `--seconds 2`;
 * `--rows 1000` key requests, `--keys 1000` keys; `--only alive,verify,approve` for some of the
 * calls.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { requestCalls, verificationCalls } from "./calls.ts";
import {
  begin,
  type Call,
  end,
  endAll,
  inTurns,
  type Measuring,
  median,
  ratio,
  spread,
  type Target,
} from "./compare.ts";
import { load, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    rows: { type: "string", default: "1000" },
    keys: { type: "string", default: "1000" },
    only: { type: "string" },
  },
});
if (values.before === undefined) throw new Error("--before FOLDER: a checkout of the code before");
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-listener-" });
const measuring: Measuring = {
  rounds: roundsOf(values.rounds),
  seconds: Number(values.seconds),
  folder,
  failures: [],
  used: new Map(),
};
const trees = { before: resolve(values.before), now: Deno.cwd() };
const only = values.only?.split(",");

const rows: string[][] = [];
const sizes: string[][] = [];
try {
  await measure("requests");
  await measure("keys");
} finally {
  await endAll();
  await Deno.remove(folder, { recursive: true });
}
const heads = ["what", "now, calls/s", "before", "ratio", "rounds", "now, µs of CPU", "before"];
console.log(
  table([...heads, "ratio", "rounds", "now ÷ bare", "before ÷ bare"], rows).join("\n"),
);
console.log(table(["an answer over the wire, bytes", "now", "before"], sizes).join("\n"));
if (measuring.failures.length > 0) console.log(measuring.failures.join("\n"));

async function measure(kind: "requests" | "keys"): Promise<void> {
  const before = await filled("before", kind);
  const now = await filled("now", kind);
  const others = new Map((await callsOf(before, kind)).map((call) => [call.name, call]));
  const calls = (await callsOf(now, kind))
    .filter(({ name }) => only?.some((word) => name.startsWith(word)) ?? true);
  if (calls.length === 0) return;
  const targets: Target[] = [
    { name: "now", nodes: [await begin(startKeydesk(now.dataDir))] },
    { name: "before", nodes: [await begin(startKeydesk(before.dataDir, {}, trees.before))] },
  ];
  for (const call of calls) {
    await note({ ...call, of: { before: others.get(call.name) ?? {} } }, targets);
  }
  for (const { nodes } of targets) await Promise.all(nodes.map(end));
}

async function note(call: Call, targets: Target[]): Promise<void> {
  const [bare, now = [], before = []] = await inTurns(call, targets, measuring);
  rows.push([
    call.name,
    median(now, "perSecond").toFixed(0),
    median(before, "perSecond").toFixed(0),
    `**${ratio(now, before, "perSecond").toFixed(2)}**`,
    spread(now, before, "perSecond"),
    median(now, "node").toFixed(1),
    median(before, "node").toFixed(1),
    `**${ratio(now, before, "node").toFixed(2)}**`,
    spread(now, before, "node"),
    ratio(now, bare, "perSecond").toFixed(2),
    ratio(before, bare, "perSecond").toFixed(2),
  ]);
  console.error(rows.at(-1)?.join("\t"));
  if (call.once) return;
  const bytes = targets.map(async ({ name, nodes: [node] }) => {
    const asked = { ...call, ...call.of?.[name] };
    const { bytesEach } = await load(`${node?.url}${asked.path}`, 1, { ...asked, connections: 1 });
    return bytesEach.toFixed(0);
  });
  sizes.push([call.name, ...await Promise.all(bytes)]);
}

/** A store that a tree's own code has made and filled. */
async function filled(tree: "before" | "now", kind: "requests" | "keys") {
  const dataDir = join(folder, `${tree}-${kind}`);
  const list = `${dataDir}.list`;
  const cwd = trees[tree];
  const count = Number(kind === "keys" ? values.keys : values.rows);
  await run("node", ["bin/keydesk.js", "seed"], { cwd, env: { KEYDESK_DATA_DIR: dataDir } });
  const [script, option] = kind === "keys" ? ["fill-keys", "--keys"] : ["fill", "--ids"];
  const size = [
    "--data",
    dataDir,
    "--rows",
    `${count}`,
    ...kind === "keys" ? ["--used", `${count}`] : [],
  ];
  await run(Deno.execPath(), [
    "run",
    "-A",
    "--no-check",
    `bench/${script}.ts`,
    ...size,
    option,
    list,
  ], { cwd });
  const credential = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
  return { dataDir, rows: count, list, credential };
}

/** What is asked of such a store. */
async function callsOf(
  store: Awaited<ReturnType<typeof filled>>,
  kind: "requests" | "keys",
): Promise<Call[]> {
  if (kind === "keys") return await verificationCalls(store);
  const asked = {
    headers: [`Authorization: ${store.credential}`],
    ask: { headers: { authorization: store.credential } },
  };
  const of = `of ${store.rows.toLocaleString("en")}`;
  const requests = (await requestCalls(store, folder, true))
    .filter(({ name }) => !name.startsWith("page ") || name === `page 1 ${of}`);
  return [
    { name: "alive", path: "/livez" },
    { name: "certificates, a page", path: "/api/certs?p=1", ...asked },
    { name: "the whole document", path: "/openapi.json" },
    ...requests,
  ];
}

async function run(
  command: string,
  args: string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args, ...options }).output();
  if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
}
