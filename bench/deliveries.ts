/**
 * What deliveries cost approvals and reads: `deno run -A bench/deliveries.ts`. Four servers on
 * SQLite, asked in turns: without a channel, with a paused one, with a paused one for which
 * `--waiting 1000000` messages wait, and with three that take everything. Processor time of the
 * server for each call, and calls in a second of a client that is on the same machine.
 * `--rounds 7`, `--calls 400`, `--keep FOLDER`. Fit for a loaded machine: of the ratios the median
 * counts.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { middle } from "./compare.ts";
import { cpuOf, type Server, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    waiting: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "7" },
    calls: { type: "string", default: "400" },
    keep: { type: "string" },
  },
});
const TOKEN = "administrator-of-the-bench-of-deliveries";
const REQUESTS = "/api/portal/requests";
const CLIENTS = 16;
const CALLS = Number(values.calls);

interface Store {
  name: string;
  server: Server;
  ids: string[];
}

/** Of one round: microseconds of processor for a call, and calls in a second. */
interface Figures {
  micros: number;
  perSecond: number;
}

let taken = 0;
const receiver = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (one) => {
  await one.body?.cancel();
  taken++;
  return new Response(null, { status: 204 });
});
const host = `127.0.0.1:${receiver.addr.port}`;
const folder = values.keep ?? await Deno.makeTempDir({ prefix: "keydesk-bench-deliveries-" });
const settings = {
  KEYDESK_ADMIN_TOKEN: TOKEN,
  KEYDESK_PENDING_PER_ORGANISATION: "0",
  KEYDESK_OUTBOUND: host,
};
const waiting = Number(values.waiting).toLocaleString("en");
const stores: Store[] = [];
const calls = ["approve", "read one"] as const;
const seen = new Map<string, Figures[]>();
try {
  stores.push(await open("no channel", 0, 0));
  stores.push(await open("a paused channel", 1, 0));
  stores.push(await open(`${waiting} waiting`, 1, Number(values.waiting)));
  stores.push(await open("three channels", 3, 0));
  for (let round = 0; round <= roundsOf(values.rounds); round++) {
    for (const store of round % 2 === 0 ? stores : stores.toReversed()) {
      const ids = await many(store, () => create(store));
      for (const call of calls) {
        const figures = await measure(store, call, ids);
        const key = `${call} ${store.name}`;
        if (round > 0) seen.set(key, [...seen.get(key) ?? [], figures]);
      }
    }
  }
} finally {
  for (const { server } of stores) await server.stop();
  await receiver.shutdown();
  if (!values.keep) await Deno.remove(folder, { recursive: true });
}
const rows = calls.flatMap((call) =>
  stores.map(({ name }) => {
    const own = seen.get(`${call} ${name}`) ?? [];
    // What waits is compared with the paused channel, since both fan out to one.
    const base = seen.get(
      `${call} ${name.endsWith("waiting") ? "a paused channel" : "no channel"}`,
    );
    const ratios = own.map(({ micros }, n) => micros / (base?.[n]?.micros ?? NaN)).sort();
    return [
      call,
      name,
      middle(own.map(({ micros }) => micros)).toFixed(0),
      middle(ratios).toFixed(3),
      `${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`,
      middle(own.map(({ perSecond }) => perSecond)).toFixed(0),
    ];
  })
);
console.log(table(["call", "server", "µs each", "ratio", "rounds", "calls/s"], rows).join("\n"));
console.log(`${taken} messages were taken meanwhile`);

async function open(name: string, channels: number, rows: number): Promise<Store> {
  const dataDir = join(folder, name.replaceAll(/\W/g, "-"));
  const store: Store = { name, server: await startKeydesk(dataDir, settings), ids: [] };
  await send(store, "POST", "/api/portal/policies", { _id: "weather", name: "weather" });
  const ids = [];
  for (let n = 0; n < channels; n++) {
    const channel = await send(store, "POST", "/v1/channels", {
      name: "n",
      url: `http://${host}/`,
    });
    if (channels === 1) await send(store, "POST", `/v1/channels/${channel.id}/pause`);
    ids.push(channel.id);
  }
  if (rows > 0) {
    await store.server.stop();
    fill(join(dataDir, "keydesk.db"), ids[0] ?? "", rows);
    store.server = await startKeydesk(dataDir, settings);
  }
  return store;
}

/** Messages of as many objects, all due. */
function fill(file: string, target_id: string, rows: number): void {
  const db = new DatabaseSync(file);
  db.exec("pragma synchronous = off");
  db.prepare(
    `insert into deliveries (org_id, id, target_id, event_id, topic, object_id, at, position,
      state, line, blocked, due_at, holder, tries, attempts, first_try_at, ended_at)
    with recursive each(n) as (select 1 union all select n + 1 from each where n < ?)
    select org_id, printf('60000000%016x%016x', n, n), id, printf('60000000%016x', n),
      'key_request.created', printf('object-%d', n), '2026-01-01T00:00:00.000Z', n,
      'waiting', 1, 0, '2026-01-01T00:00:00.000Z', '', 0, 0, null, null
    from each, delivery_targets where id = ?`,
  ).run(rows, target_id);
  db.close();
}

async function create(store: Store): Promise<string> {
  const body = { by_user: "dev", for_plan: "weather" };
  return (await send(store, "POST", REQUESTS, body)).Message;
}

async function measure(
  store: Store,
  call: typeof calls[number],
  ids: readonly string[],
): Promise<Figures> {
  const left = [...ids];
  const used = await cpuOf([store.server.pid]);
  const began = performance.now();
  await many(store, async () => {
    const id = left.pop() ?? "";
    if (call === "approve") await send(store, "PUT", `${REQUESTS}/approve/${id}`);
    else await send(store, "GET", `${REQUESTS}/${id}`);
  });
  const perSecond = CALLS / (performance.now() - began) * 1000;
  return { micros: await used() / CALLS, perSecond };
}

/** Does something CALLS times, some at once; gives what each gave. */
async function many<T>(_store: Store, work: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  let left = CALLS;
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (left-- > 0) all.push(await work());
  }));
  return all;
}

async function send(store: Store, method: string, path: string, content?: unknown) {
  const answer = await fetch(`${store.server.url}${path}`, {
    method,
    headers: { authorization: TOKEN },
    body: content === undefined ? null : JSON.stringify(content),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return await answer.json();
}
