/**
 * One process, and several on one port and one store, in turns under the same load: the processor
 * time of each call, all processes together. `deno run -A bench/several.ts`; `--engine postgres`,
 * `--processes 2`, `--rounds 5`, `--seconds 2`, `--requests 2000`. Calls in a second are printed
 * too; they tell of this machine alone, on which wrk takes its part of the processors.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newSealingKey } from "../src/kernel/sealing/sealing-keys.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { cpuOf, load, type Server, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    processes: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    requests: { type: "string", default: "2000" },
  },
});
const REQUESTS = "/api/portal/requests";
const TOKEN = "administrator-of-the-bench-of-several";
const BODY = JSON.stringify({ by_user: "dev-{n}", for_plan: "weather" });

/** Processes that serve one store on one port, and what is asked of them. */
interface Desk {
  servers: Server[];
  ids: string;
  keys: string;
}

/** What one load cost: microseconds a call, and the part of it that the busiest process had. */
interface Cost {
  micros: number;
  perSecond: number;
  busiest: number;
}

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-several-" });
const database = values.engine === "postgres" ? await startPostgres({ durable: true }) : undefined;
const several = Number(values.processes);
const body = join(folder, "body.json");
await Deno.writeTextFile(body, BODY);
try {
  const one = await open("one", 1);
  const many = await open("several", several);
  const rows: string[][] = [];
  for (const call of calls()) rows.push(await compare(call, one, many));
  for (const { servers } of [one, many]) for (const server of servers) await server.stop();
  const head = ["call", "µs with 1", `µs with ${several}`, "ratio", "rounds"];
  const further = ["calls/s with 1", `with ${several}`, "busiest of them"];
  console.log(table([...head, ...further], rows).join("\n"));
} finally {
  await database?.stop();
  await Deno.remove(folder, { recursive: true });
}

async function open(name: string, processes: number): Promise<Desk> {
  const dataDir = join(folder, name);
  const settings: Record<string, string> = {
    KEYDESK_ADMIN_TOKEN: TOKEN,
    KEYDESK_PENDING_PER_ORGANISATION: "0",
  };
  if (database) {
    settings.KEYDESK_DATABASE_URL = await database.createDatabase();
    settings.KEYDESK_SEALING_KEY = newSealingKey().trim();
  }
  if (processes > 1) {
    settings.KEYDESK_REUSE_PORT = "true";
    settings.KEYDESK_PROCESSES = String(processes);
  }
  const servers = [await startKeydesk(dataDir, settings)];
  const port = new URL(servers[0]?.url ?? "").port;
  while (servers.length < processes) {
    servers.push(await startKeydesk(dataDir, { ...settings, KEYDESK_PORT: port }));
  }
  const { ids, keys } = await fill(servers[0]?.url ?? "");
  const desk = { servers, ids: join(folder, `${name}.ids`), keys: join(folder, `${name}.keys`) };
  await Deno.writeTextFile(desk.ids, `${ids.join("\n")}\n`);
  await Deno.writeTextFile(desk.keys, `${keys.join("\n")}\n`);
  return desk;
}

/** Files requests and approves a quarter of them. */
async function fill(url: string): Promise<{ ids: string[]; keys: string[] }> {
  const send = async (method: string, path: string, content?: unknown) => {
    const headers = { authorization: TOKEN, "content-type": "application/json" };
    const sent = content === undefined ? null : JSON.stringify(content);
    const answer = await fetch(`${url}${path}`, { method, headers, body: sent });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return await answer.json();
  };
  await send("POST", "/api/portal/policies", { _id: "weather", name: "weather" });
  const ids: string[] = [];
  const keys: string[] = [];
  let n = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (n < Number(values.requests)) {
      const request = { by_user: `dev-${n++ % 500}`, for_plan: "weather" };
      const { Message: id } = await send("POST", REQUESTS, request);
      ids.push(id);
      if (ids.length % 4 > 0) continue;
      keys.push((await send("PUT", `${REQUESTS}/approve/${id}`)).RawKey);
    }
  }));
  return { ids, keys };
}

type Call = { name: string; run(desk: Desk): Promise<Cost> };

function calls(): Call[] {
  const headers = [`Authorization: ${TOKEN}`];
  const run = (path: string, options: (desk: Desk) => Parameters<typeof load>[2]) => {
    return async (desk: Desk): Promise<Cost> => {
      const spent = await Promise.all(desk.servers.map(({ pid }) => cpuOf([pid])));
      const url = `${desk.servers[0]?.url}${path}`;
      const { requests, failed, perSecond } = await load(
        url,
        Number(values.seconds),
        options(desk),
      );
      if (failed > 0) throw new Error(`${path}: ${failed} of ${requests} calls failed`);
      const each = await Promise.all(spent.map((used) => used()));
      const all = each.reduce((sum, micros) => sum + micros, 0);
      return { micros: all / requests, perSecond, busiest: Math.max(...each) / all };
    };
  };
  return [
    {
      name: "verify",
      run: run("/v1/keys/verify", ({ keys }) => ({
        script: "bench/wrk/keys.lua",
        env: { BENCH_KEYS: keys, BENCH_ASKED: "verify", BENCH_CREDENTIAL: TOKEN },
      })),
    },
    {
      name: "read one",
      run: run("", ({ ids }) => ({
        headers,
        script: "bench/wrk/from-list.lua",
        env: { BENCH_IDS: ids, BENCH_PREFIX: `${REQUESTS}/` },
      })),
    },
    { name: "page 1", run: run(`${REQUESTS}?p=1`, () => ({ headers })) },
    {
      name: "create",
      run: run(REQUESTS, () => ({
        headers: [...headers, "Content-Type: application/json"],
        script: "bench/wrk/post.lua",
        env: { BENCH_BODY: body },
      })),
    },
  ];
}

async function compare(call: Call, one: Desk, many: Desk): Promise<string[]> {
  for (const desk of [one, many]) await call.run(desk);
  const rounds: { alone: Cost; together: Cost }[] = [];
  for (let round = 0; round < roundsOf(values.rounds); round++) {
    // Whoever goes second finds a warmer machine, or a busier one.
    const together = round % 2 === 1 ? await call.run(many) : undefined;
    const alone = await call.run(one);
    rounds.push({ alone, together: together ?? await call.run(many) });
  }
  const ratioOf = ({ alone, together }: typeof rounds[number]) => together.micros / alone.micros;
  rounds.sort((a, b) => ratioOf(a) - ratioOf(b));
  const ratios = rounds.map((round) => ratioOf(round).toFixed(2));
  const median = rounds[Math.floor(rounds.length / 2)];
  if (!median) return [call.name];
  const { alone, together } = median;
  return [
    call.name,
    alone.micros.toFixed(1),
    together.micros.toFixed(1),
    ratioOf(median).toFixed(2),
    `${ratios.at(0)}–${ratios.at(-1)}`,
    alone.perSecond.toFixed(0),
    together.perSecond.toFixed(0),
    `${(together.busiest * 100).toFixed(0)} %`,
  ];
}
