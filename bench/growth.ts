/**
 * `deno run -A bench/growth.ts`: what a call costs as the store grows, in processor time of the
 * server, so that other work on the machine changes little. Key requests in SQLite; somebody
 * creates `--writes 50` a second meanwhile, so that hardly any answer is one that was kept. Stores
 * of each size are asked in turns. `--rows 1000,100000,1000000` (the last takes two minutes and 5
 * GB to fill), `--rounds 3`, `--seconds 2`, `--keep FOLDER`.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fullKeyRequest } from "../src/features/key-requests/key-requests.example.ts";
import { middle } from "./compare.ts";
import { cpuOf, load, residentMiB, type Server, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { writeSteadily } from "./writing.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000,100000,1000000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "2" },
    writes: { type: "string", default: "50" },
    keep: { type: "string" },
  },
});
const REQUESTS = "/api/portal/requests";
const sizes = values.rows.split(",").map(Number);
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-growth-" });
await Deno.mkdir(folder, { recursive: true });
const body = join(folder, "body.json");
const text = JSON.stringify(fullKeyRequest);
await Deno.writeTextFile(body, text);

interface Store {
  server: Server;
  rows: number;
  authorization: string;
  ids: string;
}
/** Each call by its script and what is put before an id, or its path. */
const calls: { name: string; script?: string; path: (store: Store) => string }[] = [
  { name: "read one", script: "bench/wrk/from-list.lua", path: () => `${REQUESTS}/` },
  { name: "the first page", path: () => `${REQUESTS}?p=1` },
  { name: "the middle page", path: ({ rows }) => `${REQUESTS}?p=${Math.ceil(rows / 20)}` },
  { name: "the last page", path: ({ rows }) => `${REQUESTS}?p=${Math.ceil(rows / 10)}` },
  { name: "create", script: "bench/wrk/post.lua", path: () => REQUESTS },
];

const stores = [];
for (const rows of sizes) stores.push(await open(rows));
const results = calls.map(() => sizes.map((): number[] => []));
for (let round = 0; round <= roundsOf(values.rounds); round++) {
  for (const [n, call] of calls.entries()) {
    for (const [size, store] of stores.entries()) {
      const micros = await measure(store, call);
      if (round > 0) results[n]?.[size]?.push(micros);
    }
  }
}
const resident = await Promise.all(stores.map(({ server }) => residentMiB(server.pid)));
for (const { server } of stores) await server.stop();
if (!values.keep) await Deno.remove(folder, { recursive: true });

const names = sizes.map((rows) => rows.toLocaleString("en"));
const rows = calls.map(({ name }, n) => {
  const [first = [], ...others] = results[n] ?? [];
  const ratios = others.map((other) =>
    middle(other.map((us, round) => us / (first[round] ?? NaN)))
  );
  return [
    `${name}, µs of CPU`,
    ...[first, ...others].map((one) => middle(one).toFixed(0)),
    ...ratios.map((ratio) => ratio.toFixed(2)),
  ];
});
rows.push(["resident afterwards, MiB", ...resident.map((mib) => mib.toFixed(0))]);
const head = ["", ...names, ...names.slice(1).map((name) => `${name} ÷ ${names[0]}`)];
console.log(table(head, rows).join("\n"));

/** Microseconds of processor for one call, what is created meanwhile included. */
async function measure(store: Store, call: typeof calls[number]): Promise<number> {
  const path = call.path(store);
  const writing = call.name === "create" ? undefined : writeSteadily(
    store.server.url + REQUESTS,
    { headers: { authorization: store.authorization }, body: text },
    Number(values.writes),
  );
  const cpu = await cpuOf([store.server.pid]);
  const result = await load(store.server.url + path, Number(values.seconds), {
    headers: [`Authorization: ${store.authorization}`],
    script: call.script,
    env: { BENCH_IDS: store.ids, BENCH_PREFIX: path, BENCH_BODY: body },
  });
  const spent = await cpu();
  await writing?.stop();
  if (result.failed > 0) throw new Error(`${call.name}: ${result.failed} failed`);
  return spent / result.requests;
}

/** Fills a store where it does not stand already, and starts a server on it. */
async function open(rows: number): Promise<Store> {
  const data = join(folder, `requests-${rows}`);
  const ids = `${data}.ids`;
  if (!await Deno.stat(ids).then(() => true, () => false)) {
    await (await startKeydesk(data)).stop();
    const sized = ["--rows", String(rows), "--ids", ids];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "bench/fill.ts", "--data", data, ...sized],
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }
  const server = await startKeydesk(data, { KEYDESK_PENDING_PER_ORGANISATION: "0" });
  const file = join(data, "administrator-credential");
  return { server, rows, authorization: (await Deno.readTextFile(file)).trim(), ids };
}
