/**
 * `deno run -A bench/map-gateway.ts`: what a map of hashes adds to HAProxy. It stands before an API
 * that answers at once, alone and with docs/gateways/hashes.haproxy.cfg and a map of `--keys
 * 100000`, in turns; each call with another key of `--used 2000`, no desk beside it. Then
 * `--revoked 20` keys are taken one by one, as the engine brings them, and each is timed until the
 * door refuses it. `--rounds 7`, `--seconds 2`; `--before FILE`, another file for HAProxy in turns
 * with them, beside which haproxy.lua lies. Prints tables in Markdown.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { HaproxySocket } from "../src/features/gateways/hashes/haproxy-socket.ts";
import { HashGateway } from "../src/features/gateways/hashes/hash-gateway.ts";
import { filesOf } from "../src/features/gateways/hashes/map-settings.ts";
import { openOutbound } from "../src/kernel/outbound/open-outbound.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { freePort, startProxy } from "../system/support/proxies.ts";
import { middle } from "./compare.ts";
import { cpuOf, load } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "100000" },
    used: { type: "string", default: "2000" },
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    revoked: { type: "string", default: "20" },
    before: { type: "string" },
  },
});

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-hashes-" });
const id = "bench";
const { map: name, socket: socketName } = filesOf(id);
const [file, socket, list] = [name, socketName, "keys"].map((one) => join(folder, one)) as [
  string,
  string,
  string,
];
const keys = Array.from({ length: Number(values.keys) }, (_, n) => `kd_bench_${n}_of_a_key`);
const lines = keys.map((key) => `${sha256(key)} 0:0:0:dev-${key.slice(9, 12)}:plan-a`).sort();
await Deno.writeTextFile(file, ["keydesk bench.1", ...lines, ""].join("\n"));
await Deno.writeTextFile(list, keys.slice(0, Number(values.used)).join("\n") + "\n");

const api = await startProxy(
  "nginx",
  resolve("bench/checking-gateway/api.nginx.conf"),
  "GATEWAY_ADDRESS",
  {},
  folder,
);
const words = {
  API_ADDRESS: new URL(api.url).host,
  API_ID: "weather",
  DESK_ADDRESS: `127.0.0.1:${freePort()}`,
  DESK_CREDENTIAL: "none",
  GATEWAY_NAME: "",
  MAP_FILE: file,
  MAP_SOCKET: socket,
};
const start = (config: string, more: Record<string, string> = {}) =>
  startProxy("haproxy", resolve(config), "GATEWAY_ADDRESS", { ...words, ...more }, folder);
const alone = await start("bench/checking-gateway/haproxy.cfg");
const mapped = await start("docs/gateways/hashes.haproxy.cfg");

const doors = new Map([["alone", alone], [`with a map of ${values.keys}`, mapped]]);
if (values.before !== undefined) {
  doors.set("the same, before", await start(values.before, { MAP_SOCKET: `${socket}.before` }));
}
const seen = new Map<string, { perSecond: number[]; micros: number[] }>();
for (let round = 0; round <= roundsOf(values.rounds); round++) {
  for (const [name, door] of doors) {
    const spent = await cpuOf([door.pid], { children: true });
    const measured = await load(`${door.url}/forecast`, Number(values.seconds), {
      connections: 64,
      script: "bench/wrk/keys.lua",
      env: { BENCH_KEYS: list, BENCH_ASKED: "door" },
    });
    const micros = await spent();
    if (measured.failed > 0) throw new Error(`${measured.failed} failed calls`);
    if (round === 0) continue;
    const of = seen.get(name) ?? { perSecond: [], micros: [] };
    seen.set(name, of);
    of.perSecond.push(measured.perSecond);
    of.micros.push(micros / measured.requests);
  }
}
const bare = seen.get("alone")?.perSecond ?? [];
console.log(
  table(
    ["HAProxy", "calls/s", "of alone", "rounds", "µs a call"],
    [...seen].map(([name, { perSecond, micros }]) => {
      const ratios = perSecond.map((one, n) => one / (bare[n] ?? NaN));
      const spread = [Math.min(...ratios), Math.max(...ratios)].map((one) => one.toFixed(2));
      return [name, middle(perSecond).toFixed(0)]
        .concat(middle(ratios).toFixed(2), spread.join("–"), middle(micros).toFixed(1));
    }),
  ).join("\n"),
);

const outbound = openOutbound({ entries: [] });
const map = { api: "", form: "haproxy", socket: "unix" } as const;
const times: number[] = [];
for (const key of keys.slice(0, Number(values.revoked))) {
  const since = performance.now();
  const kind = new HashGateway({
    folder,
    id,
    map,
    socket: new HaproxySocket(outbound, { path: socket }, name),
  });
  await kind.open("bench");
  const there = { key_id: sha256(key), kind: "token", developer_id: "", name: "" } as const;
  await kind.bring({ ...there, remote_id: "", hash: "", secret: undefined }, {
    is: "absent",
  });
  await kind.finish();
  times.push(performance.now() - since);
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${mapped.url}/forecast`, { headers });
  await answer.body?.cancel();
  if (answer.status === 200) throw new Error("a revoked key opens");
}
console.log(
  `\nA key is taken out of file and memory, and read back, in ${
    middle(times).toFixed(0)
  } ms, the slowest of ${times.length} in ${Math.max(...times).toFixed(0)} ms.`,
);
for (const one of [...doors.values(), api]) await one[Symbol.asyncDispose]();
await Deno.remove(folder, { recursive: true });
