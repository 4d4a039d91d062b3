/**
 * What the audit log's log costs an approval: this code beside code before it, in turns, with 64
 * approvals at once in one organisation, on SQLite and on PostgreSQL:
 * `deno run -A bench/audit-log.ts --before FOLDER`, a checkout of the code before with its
 * node_modules. Prints the median of the rounds' ratios and their spread, of throughput and of
 * processor time for each approval, the database's included. `--rounds 15`, `--seconds 3`,
 * `--engines sqlite,postgres`; on a machine that does other things too the processor time is the
 * steadier one.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type PostgresServer, startPostgres } from "../test/support/postgres.ts";
import { cpuOf, load, type Server, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    rounds: { type: "string", default: "15" },
    seconds: { type: "string", default: "3" },
    rows: { type: "string", default: "200000" },
    engines: { type: "string", default: "sqlite,postgres" },
  },
});
if (values.before === undefined) throw new Error("--before FOLDER: a checkout of the code before");
const code = { before: resolve(values.before), after: Deno.cwd() };
const names = ["before", "after"] as const;
const rounds = roundsOf(values.rounds);
const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-trail-" });

interface Target {
  server: Server;
  ids: string;
  credential: string;
  used: number;
}

interface Measured {
  perSecond: number;
  node: number;
  database: number;
  p99: number;
}

const lines: string[][] = [];
let postgres: PostgresServer | undefined;
try {
  for (const engine of values.engines.split(",")) await measureEngine(engine);
} finally {
  await postgres?.stop();
  await Deno.remove(folder, { recursive: true });
}
const head = ["engine", "figure", "before", "after", "after ÷ before", "middle half of the ratios"];
console.log(table(head, lines).join("\n"));

async function measureEngine(engine: string): Promise<void> {
  if (engine === "postgres") {
    postgres ??= await startPostgres({
      durable: true,
      settings: { shared_buffers: "128MB", io_method: "worker", log_checkpoints: true },
    });
  }
  const targets = {
    before: await open("before", engine),
    after: await open("after", engine),
  };
  const results: Record<typeof names[number], Measured[]> = { before: [], after: [] };
  try {
    for (let round = 0; round <= rounds; round++) {
      // The one that goes first has the quieter disk, or the louder: by turns.
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const measured = await measure(targets[name]);
        if (round > 0) results[name].push(measured);
      }
    }
  } finally {
    for (const name of names) await targets[name].server.stop();
  }
  for (const what of ["perSecond", "node", "database", "p99"] as const) {
    if (what === "database" && engine === "sqlite") continue;
    tell(engine, what, results);
  }
}

function tell(
  engine: string,
  what: keyof Measured,
  results: Record<typeof names[number], Measured[]>,
): void {
  const of = (name: typeof names[number]) => results[name].map((one) => one[what]);
  const before = of("before");
  const ratios = of("after").map((value, i) => value / (before[i] ?? 1));
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(3));
  const figures = {
    perSecond: "approvals a second",
    node: "server's processor time for each, µs",
    database: "database's processor time for each, µs",
    p99: "p99, ms",
  };
  lines.push([
    engine,
    figures[what],
    quantile(before, 0.5).toFixed(1),
    quantile(of("after"), 0.5).toFixed(1),
    middle ?? "",
    `${low} to ${high}`,
  ]);
}

async function measure(target: Target): Promise<Measured> {
  const database = target.server.url === "" || !postgres ? [] : [await postmasterOf(postgres)];
  const node = await cpuOf([target.server.pid]);
  const base = await cpuOf(database, { children: true });
  const result = await load(`${target.server.url}/`, Number(values.seconds), {
    headers: [`Authorization: ${target.credential}`],
    script: join(code.after, "bench/wrk/from-list.lua"),
    env: {
      BENCH_IDS: target.ids,
      BENCH_PREFIX: "/api/portal/requests/approve/",
      BENCH_METHOD: "PUT",
      BENCH_SKIP: String(target.used),
    },
  });
  // What is left to be done in the background is part of the price.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const [spent, spentThere] = [await node(), await base()];
  target.used += result.requests + 128;
  if (result.failed > 0) throw new Error(`${result.failed} answers other than 200`);
  return {
    perSecond: result.perSecond,
    node: spent / result.requests,
    database: spentThere / result.requests,
    p99: result.p99,
  };
}

/** A server of this code over a filled store of its own. */
async function open(name: typeof names[number], engine: string): Promise<Target> {
  Deno.chdir(code[name]);
  const dataDir = join(folder, `${engine}-${name}`);
  const ids = `${dataDir}.ids`;
  await (await startKeydesk(dataDir)).stop();
  await run(Deno.execPath(), [
    "run",
    "-A",
    "bench/fill.ts",
    "--data",
    dataDir,
    "--rows",
    values.rows ?? "",
    "--ids",
    ids,
  ]);
  const credential = (await Deno.readTextFile(join(dataDir, "administrator-credential"))).trim();
  let settings: Record<string, string> = {};
  if (engine === "postgres" && postgres) {
    const url = await postgres.createDatabase();
    const key = (await Deno.readTextFile(join(dataDir, "sealing-key"))).trim();
    settings = { KEYDESK_DATABASE_URL: url, KEYDESK_SEALING_KEY: key };
    const from = `sqlite:${join(dataDir, "keydesk.db")}`;
    // A password in an argument is refused.
    const to = new URL(url);
    const env = { ...settings, KEYDESK_DATABASE_PASSWORD: decodeURIComponent(to.password) };
    to.password = "";
    const words = ["move-store", "--from", from, "--to", to.href];
    await run("node", ["bin/keydesk.js", ...words], { ...env, KEYDESK_DATABASE_URL: to.href });
  }
  const server = await startKeydesk(dataDir, settings);
  Deno.chdir(code.after);
  return { server, ids, credential, used: 0 };
}

async function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<void> {
  const options = { args, env, stdout: "null", stderr: "inherit" } as const;
  const { success } = await new Deno.Command(command, options).output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed`);
}

async function postmasterOf(server: PostgresServer): Promise<number> {
  const [pid = ""] = (await Deno.readTextFile(join(server.folder, "data/postmaster.pid"))).split(
    "\n",
  );
  return Number(pid);
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.round((sorted.length - 1) * part)] ?? Number.NaN;
}
