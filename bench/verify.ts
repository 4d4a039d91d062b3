/**
 * Verification and key reads beside a bare server that answers one of the same answers:
 * `deno run -A bench/verify.ts`. All under the same load in turns, each request with another key.
 * `--before FOLDER`, a checkout of the code before with its node_modules, on the same keys in turns
 * with this code. `--rows 1000000` keys are stored, `--used 100000` of them used; `--rounds 3`,
 * `--seconds 4`; `--only verify,forward-auth` and so on for some of the calls; `--keep DIR` keeps
 * the stores for another run.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { sha256 } from "../src/kernel/sha256.ts";
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
import { besideLastFigures } from "./last-figures.ts";
import { residentMiB, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    used: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    only: { type: "string" },
    before: { type: "string" },
    keep: { type: "string" },
  },
});
const here = Deno.cwd();
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-verify-" });
const dataDir = join(folder, `keys-${values.rows}`);
const list = `${dataDir}.${values.used}`;
const ids = `${list}.ids`;
await Deno.mkdir(folder, { recursive: true });
await fill();

const keys = (await Deno.readTextFile(list)).trim().split("\n");
const credential = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
const memory: string[][] = [];
const lines: string[][] = [];
const measuring: Measuring = {
  rounds: roundsOf(values.rounds),
  seconds: Number(values.seconds),
  folder,
  failures: [],
  used: new Map(),
};
try {
  await measure();
} finally {
  await endAll();
  if (!values.keep) await Deno.remove(folder, { recursive: true });
}
await print();

async function measure(): Promise<void> {
  const before = values.before === undefined ? [] : [await beforeOf(values.before)];
  const targets = [{ name: "Keydesk", nodes: [await begin(startKeydesk(dataDir))] }, ...before];
  const tell = async (when: string) => {
    const sizes = targets.map(({ nodes: [node] }) => node ? residentMiB(node.pid) : 0);
    memory.push([when, ...(await Promise.all(sizes)).map((mib) => mib.toFixed(0))]);
  };
  await tell("at rest");
  for (const { nodes: [node] } of targets) await useAll(node?.url ?? "");
  await tell(`${keys.length} keys used`);
  for (const call of callsOf(keys[0] ?? "")) {
    if (values.only !== undefined && !values.only.split(",").includes(call.name)) continue;
    const [bare, ours, before] = await inTurns(call, targets, measuring);
    if (ours === undefined) continue;
    lines.push([
      call.name,
      median(ours, "perSecond").toFixed(0),
      median(bare, "perSecond").toFixed(0),
      ratio(ours, bare, "perSecond").toFixed(2),
      spread(ours, bare, "perSecond"),
      median(ours, "node").toFixed(1),
      median(bare, "node").toFixed(1),
      ratio(bare, ours, "node").toFixed(2),
      ...before === undefined ? [] : [
        median(before, "node").toFixed(1),
        ratio(ours, before, "node").toFixed(2),
        spread(ours, before, "node"),
      ],
    ]);
  }
  await tell("after the load");
  for (const { nodes } of targets) await Promise.all(nodes.map(end));
}

function callsOf(key: string): Call[] {
  const script = "bench/wrk/keys.lua";
  const read = (name: string, prefix: string): Call => ({
    name,
    path: prefix + sha256(key),
    ask: { headers: { authorization: credential } },
    headers: [`Authorization: ${credential}`],
    script: "bench/wrk/from-list.lua",
    env: { BENCH_IDS: ids, BENCH_PREFIX: prefix },
  });
  const page = (name: string, path: string): Call => ({
    name,
    path,
    ask: { headers: { authorization: credential } },
    headers: [`Authorization: ${credential}`],
  });
  return [
    {
      name: "verify",
      path: "/v1/keys/verify",
      ask: {
        method: "POST",
        headers: { authorization: credential, "content-type": "application/json" },
        body: questionOf(key),
      },
      script,
      env: { BENCH_KEYS: list, BENCH_ASKED: "verify", BENCH_CREDENTIAL: credential },
    },
    {
      name: "forward-auth",
      path: "/v1/forward-auth?api=weather",
      ask: { headers: { "x-keydesk-authorization": credential, authorization: key } },
      script,
      env: { BENCH_KEYS: list, BENCH_ASKED: "forward-auth", BENCH_CREDENTIAL: credential },
    },
    read("read-key", "/v1/keys/"),
    read("read-named", "/api/keys/"),
    read("read-of-api", "/api/apis/weather/keys/"),
    page("list-keys", "/v1/keys?limit=100"),
    page("list-details", "/api/keys/detailed?p=1"),
  ];
}

function questionOf(key: string): string {
  return JSON.stringify({ key, api_id: "weather" });
}

/** Every key once, so that memory holds what it will hold. */
async function useAll(url: string): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: 32 }, async () => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) {
      const answer = await fetch(`${url}/v1/keys/verify`, {
        method: "POST",
        headers: { authorization: credential, "content-type": "application/json" },
        body: questionOf(key),
      });
      const { valid } = await answer.json();
      if (valid !== true) throw new Error(`a key of the store is refused: ${answer.status}`);
    }
  }));
}

/** The code before, over its own copy of the same store. */
async function beforeOf(checkout: string): Promise<Target> {
  Deno.chdir(resolve(checkout));
  const node = await begin(startKeydesk(resolve(here, `${dataDir}.before`)));
  Deno.chdir(here);
  return { name: "before", nodes: [node] };
}

/**
 * Starts once, so that the organisation is there, then fills; by the code before where there is
 * one: this code opens its stores, and not the other way round.
 */
async function fill(): Promise<void> {
  try {
    await Deno.stat(ids);
  } catch {
    const filled = resolve(dataDir);
    Deno.chdir(resolve(values.before ?? here));
    await (await startKeydesk(filled)).stop();
    const options = ["--rows", values.rows, "--used", values.used, "--keys", resolve(here, list)];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "bench/fill-keys.ts", "--data", filled, ...options],
    }).output();
    Deno.chdir(here);
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    await new Deno.Command("cp", { args: ["-a", dataDir, `${dataDir}.before`] }).output();
    const keys = (await Deno.readTextFile(list)).trim().split("\n");
    await Deno.writeTextFile(ids, `${keys.map(sha256).join("\n")}\n`);
  }
}

async function print(): Promise<void> {
  const before = values.before === undefined ? [] : ["before, µs", "after ÷ before", "rounds"];
  const head = ["what", "a second", "bare", "of bare", "rounds", "µs", "bare, µs", "bare ÷ ours"];
  console.log(table([...head, ...before], lines).join("\n"));
  const names = values.before === undefined ? ["MiB"] : ["MiB", "before"];
  console.log(table([`memory, ${values.rows} keys stored`, ...names], memory).join("\n"));
  const figures = lines.map(([name = "", , , ratio = ""]) => ({ name, ratio }));
  for (const line of await besideLastFigures("Beside a bare server", figures)) console.log(line);
  for (const failure of measuring.failures) console.log(failure);
}
