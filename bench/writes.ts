/**
 * Creates and approvals by 64 callers at once, this code beside the code of other working copies
 * and beside the bare server, in turns, on SQLite:
 * `deno run -A bench/writes.ts --trees before=DIR,now=.` (checkouts with node_modules). Prints
 * calls a second with the median of the rounds' ratios to the bare server, and the processor time
 * of each call by the server's threads, the background's work included, with the median of its
 * ratio to the first of the trees. `--rounds 6`, `--seconds 3`, `--rows 120000`,
 * `--what create,approve`. The processor time can be read on a machine that does other things too.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fullKeyRequest } from "../src/features/key-requests/key-requests.example.ts";
import { type Load, load, type Server, startBare, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    trees: { type: "string", default: "now=." },
    rounds: { type: "string", default: "6" },
    seconds: { type: "string", default: "3" },
    rows: { type: "string", default: "120000" },
    what: { type: "string", default: "create,approve" },
  },
});
const home = Deno.cwd();
const seconds = Number(values.seconds);
const rounds = roundsOf(values.rounds);
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-writes-" });

/** A server of one working copy over a store of its own. */
interface Side {
  name: string;
  server: Server;
  headers: string[];
  ids: string;
  approved: number;
}

/** One round of one server. */
interface Measured extends Load {
  bare: number;
  micros: Record<Thread, number>;
}

/** The one that serves, the one that writes, and the runtime's others. */
type Thread = "serving" | "writing" | "others";

const answers = {
  create: { Status: "OK", Message: "0".repeat(24), Meta: null },
  approve: { RawKey: "x".repeat(136), Password: "" },
};
type What = keyof typeof answers;

const sides: Side[] = [];
try {
  for (const word of values.trees.split(",")) {
    const [name = "", tree = ""] = word.split("=");
    sides.push(await open(name, resolve(tree)));
  }
  // as: other words have no answer, and fail.
  for (const what of values.what.split(",") as What[]) await compare(what);
} finally {
  for (const { server } of sides) await server.stop();
  await Deno.remove(folder, { recursive: true });
}

async function compare(what: What): Promise<void> {
  const answer = join(folder, `${what}.json`);
  await Deno.writeTextFile(answer, JSON.stringify(answers[what]));
  const bare = await startBare(answer);
  const seen = new Map<string, Measured[]>(sides.map(({ name }) => [name, []]));
  try {
    for (let round = 0; round <= rounds; round++) {
      const reference = (await ask(what, bare.url)).perSecond;
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const measured = await measure(what, side);
        if (round > 0) seen.get(side.name)?.push({ ...measured, bare: reference });
      }
    }
  } finally {
    await bare.stop();
  }
  const first = seen.get(sides[0]?.name ?? "") ?? [];
  const lines = sides.map(({ name }) => {
    const own = seen.get(name) ?? [];
    const of = (figure: (one: Measured) => number) => quantile(own.map(figure), 0.5);
    const ratios = own.map((one, i) => sum(one) / sum(first[i] ?? one));
    return [
      what,
      name,
      of((one) => one.perSecond).toFixed(0),
      of((one) => one.perSecond / one.bare).toFixed(3),
      of((one) => one.p99).toFixed(1),
      ...(["serving", "writing", "others"] as const).map((thread) =>
        of((one) => one.micros[thread]).toFixed(0)
      ),
      of(sum).toFixed(0),
      quantile(ratios, 0.5).toFixed(3),
      `${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)}`,
    ];
  });
  const head = ["what", "code", "calls/s", "of bare", "p99, ms", "serving, µs", "writing, µs"];
  console.log(table([...head, "others, µs", "all, µs", "ratio", "middle half"], lines).join("\n"));
}

async function measure(what: What, side: Side): Promise<Omit<Measured, "bare">> {
  const before = await threadsOf(side.server.pid);
  const result = await ask(what, side.server.url, side);
  // What is left to be done in the background is part of the price.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const after = await threadsOf(side.server.pid);
  if (result.failed > 0) throw new Error(`${side.name}: ${result.failed} answers other than 200`);
  if (what === "approve") side.approved += result.requests + 128;
  const each = (thread: Thread) => (after[thread] - before[thread]) / result.requests;
  const micros = {
    serving: each("serving"),
    writing: each("writing"),
    others: each("others"),
  };
  return { ...result, micros };
}

function ask(what: What, url: string, side = sides[0]): Promise<Load> {
  const { headers = [], ids = "", approved = 0 } = side ?? {};
  const prefix = "/api/portal/requests";
  if (what === "create") {
    const env = { BENCH_BODY: join(folder, "body.json") };
    return load(url + prefix, seconds, { headers, env, script: join(home, "bench/wrk/post.lua") });
  }
  const env = {
    BENCH_IDS: ids,
    BENCH_METHOD: "PUT",
    BENCH_SKIP: String(approved),
    BENCH_PREFIX: `${prefix}/approve/`,
  };
  return load(url, seconds, { headers, env, script: join(home, "bench/wrk/from-list.lua") });
}

async function open(name: string, tree: string): Promise<Side> {
  const dataDir = join(folder, name);
  const ids = `${dataDir}.ids`;
  await Deno.writeTextFile(join(folder, "body.json"), JSON.stringify(fullKeyRequest));
  // Deno finds the packages of the working copy that it stands in.
  Deno.chdir(tree);
  await (await startKeydesk(dataDir)).stop();
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "bench/fill.ts",
      "--data",
      dataDir,
      "--rows",
      values.rows,
      "--ids",
      ids,
    ],
    stdout: "null",
  }).output();
  if (!success) throw new Error(`${name}: filling the store failed`);
  const credential = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
  const server = await startKeydesk(dataDir);
  Deno.chdir(home);
  return { name, server, ids, headers: [`Authorization: ${credential}`], approved: 0 };
}

/** Microseconds of processor that a process's threads have used. */
async function threadsOf(pid: number): Promise<Record<Thread, number>> {
  const used = { serving: 0, writing: 0, others: 0 };
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const read = (file: string) =>
      Deno.readTextFile(`/proc/${pid}/task/${name}/${file}`).catch(() => "0");
    const [comm, stat] = await Promise.all([read("comm"), read("schedstat")]);
    const thread = Number(name) === pid
      ? "serving"
      : /worker|writer/.test(comm) && !/tokio|V8/.test(comm)
      ? "writing"
      : "others";
    used[thread] += Number(stat.split(" ")[0]) / 1000;
  }
  return used;
}

function sum({ micros }: Measured): number {
  return micros.serving + micros.writing + micros.others;
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
}
