/**
 * What taking calls and sending answers costs: this code and a checkout of earlier code
 * (`--before FOLDER`, with its node_modules) on copies of one small store, and a bare server, in
 * turns: `deno run -A bench/listener.ts --before ../x`. `--rounds 5`, `--seconds 2`.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  begin,
  type Call,
  endAll,
  inTurns,
  type Measuring,
  median,
  ratio,
  spread,
  type Target,
} from "./compare.ts";
import { startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
  },
});
if (values.before === undefined) throw new Error("--before FOLDER: a checkout of the code before");
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-listener-" });
const measuring: Measuring = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  folder,
  loads: [],
  failures: [],
  used: new Map(),
};
const stores = { before: join(folder, "before"), now: join(folder, "now") };
const ids = join(folder, "ids");
await run("node", ["bin/keydesk.js", "seed"], { KEYDESK_DATA_DIR: stores.before });
await run(Deno.execPath(), [
  "run",
  "-A",
  "bench/fill.ts",
  "--data",
  stores.before,
  "--rows",
  "1000",
  "--ids",
  ids,
]);
await run("cp", ["-r", stores.before, stores.now]);

const rows: string[][] = [];
try {
  const targets: Target[] = [
    {
      name: "before",
      nodes: [await begin(startKeydesk(stores.before, {}, resolve(values.before)))],
    },
    { name: "now", nodes: [await begin(startKeydesk(stores.now))] },
  ];
  for (const call of await calls()) {
    const [bare, before = [], now = []] = await inTurns(call, targets, measuring);
    rows.push([
      call.name,
      median(now, "perSecond").toFixed(0),
      median(before, "perSecond").toFixed(0),
      `**${ratio(now, before, "perSecond").toFixed(2)}**`,
      spread(now, before, "perSecond"),
      median(now, "node").toFixed(1),
      median(before, "node").toFixed(1),
      ratio(now, before, "node").toFixed(2),
      ratio(now, bare, "perSecond").toFixed(2),
      ratio(before, bare, "perSecond").toFixed(2),
    ]);
  }
} finally {
  await endAll();
  await Deno.remove(folder, { recursive: true });
}
const heads = ["what", "now, calls/s", "before", "ratio", "rounds", "now, µs of CPU", "before"];
console.log(table([...heads, "ratio", "now ÷ bare", "before ÷ bare"], rows).join("\n"));
console.log(`load: ${measuring.loads.join(", ")}`);
if (measuring.failures.length > 0) console.log(measuring.failures.join("\n"));

async function calls(): Promise<Call[]> {
  const credential = await Deno.readTextFile(join(stores.now, "administrator-credential"));
  const authorization = credential.trim();
  const first = (await Deno.readTextFile(ids)).slice(0, 24);
  const asked = {
    headers: [`Authorization: ${authorization}`],
    ask: { headers: { authorization } },
  };
  const requests = "/api/portal/requests";
  return [
    { name: "alive", path: "/livez" },
    { name: "read one", path: `${requests}/${first}`, ...asked },
    { name: "page 1", path: `${requests}?p=1`, ...asked },
    { name: "page of ten certificates", path: "/api/certs?p=1", ...asked },
    { name: "the whole document, 1.5 MB", path: "/openapi.json" },
  ];
}

async function run(command: string, args: string[], env: Record<string, string> = {}) {
  const { success, stderr } = await new Deno.Command(command, { args, env }).output();
  if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
}
