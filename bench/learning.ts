/**
 * What verification of known keys costs while a gateway teaches: `deno run -A bench/learning.ts`,
 * in three minutes. One server; learning is switched on and off for slices of two seconds, in turns
 * and in either order, so that what drifts on the machine is in both. The keys are those of the
 * store and some that were learned, all in memory. These are asked anew each minute while it is on,
 * beside the calls, and the processor time holds that too: `--learned 0` leaves it out. `--rounds
 * 8`, `--seconds 2`, `--rows 20000`, `--used 4000`, `--learned 100`.
 */
import { parseArgs } from "node:util";
import { Gateway } from "../examples/moving/gateway.ts";
import { atGateway, GATEWAY_SECRET } from "../examples/moving/gateway-interface.ts";
import { legacyKey } from "../examples/moving/keys.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { middle } from "./compare.ts";
import { cpuOf, load, type Server, startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import { roundsOf } from "./machine.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "8" },
    seconds: { type: "string", default: "2" },
    rows: { type: "string", default: "20000" },
    used: { type: "string", default: "4000" },
    learned: { type: "string", default: "100" },
  },
});
/** What is known of gateways that teach is remembered for a second. */
const HEARD_MS = 1500;
/** The plan of the keys that are learned; those of others are no matter of the gateway. */
const PLAN = "plan-learned";

/** A slice: microseconds of the server's processor for each call, and calls a second. */
interface Slice {
  micros: number;
  perSecond: number;
}

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-learning-" });
const dataDir = `${folder}/data`;
const list = `${folder}/keys`;
try {
  await fill();
  const known = (await Deno.readTextFile(list)).trim().split("\n");
  const { org } = JSON.parse(atob(known[0] ?? ""));
  const gateway = gatewayOf(org);
  const answer = (request: Request) => atGateway(gateway, request);
  const listening = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  const host = `127.0.0.1:${listening.addr.port}`;
  const server = await startKeydesk(dataDir, { KEYDESK_OUTBOUND: host });
  try {
    await measure(server, gateway, host, known);
  } finally {
    await server.stop();
    await listening.shutdown();
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function measure(server: Server, gateway: Gateway, host: string, known: string[]) {
  const credential = (await Deno.readTextFile(`${dataDir}/administrator-credential`)).trim();
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: credential, "content-type": "application/json" };
    const init = { method, headers, ...body ? { body: JSON.stringify(body) } : {} };
    const response = await fetch(server.url + path, init);
    return { status: response.status, body: await response.json() };
  };
  const access_rights = { weather: { api_id: "weather" } };
  await send("POST", "/api/portal/policies", { id: PLAN, name: PLAN, access_rights });
  const added = {
    name: "City",
    connection: "synced",
    url: `http://${host}`,
    secret: GATEWAY_SECRET,
    plans: [PLAN],
  };
  const { body: { id } } = await send("POST", "/v1/gateways", added);
  const learning = `/v1/gateways/${id}/lazy-migration`;
  const ends_at = new Date(Date.now() + 86_400_000).toISOString();
  const on = { ends_at, questions_per_second: 1000 };
  await until(async () => (await send("PUT", learning, on)).status === 200);
  const keys = [...known, ...await toLearn(gateway)];
  await Deno.writeTextFile(list, `${keys.join("\n")}\n`);
  await useAll(keys, async (key) => (await send("POST", "/v1/keys/verify", { key })).body.valid);
  const { body: { migrated: learned } } = await send("GET", learning);
  if (learned !== Number(values.learned)) throw new Error(`${learned} keys were learned`);

  // What was learned is asked anew at the rate that is usual.
  const usual = { ends_at };
  const set = async (isOn: boolean) => {
    const { status } = isOn ? await send("PUT", learning, usual) : await send("DELETE", learning);
    if (status !== 200) throw new Error(`learning is not switched: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, HEARD_MS));
  };
  const slice = async (isOn: boolean): Promise<Slice> => {
    await set(isOn);
    const cpu = await cpuOf([server.pid]);
    const { requests, failed, perSecond } = await load(
      `${server.url}/v1/keys/verify`,
      Number(values.seconds),
      {
        script: "bench/wrk/keys.lua",
        env: { BENCH_KEYS: list, BENCH_ASKED: "verify", BENCH_CREDENTIAL: credential },
      },
    );
    if (failed > 0) throw new Error(`${failed} calls failed`);
    return { micros: await cpu() / requests, perSecond };
  };
  const rounds: { off: Slice; on: Slice }[] = [];
  for (let round = 0; round <= roundsOf(values.rounds); round++) {
    const first = round % 2 === 0;
    const slices: (Slice & { isOn: boolean })[] = [];
    for (const isOn of [first, !first, !first, first]) {
      slices.push({ isOn, ...await slice(isOn) });
    }
    const meanOf = (isOn: boolean): Slice => {
      const [a, b] = slices.filter((one) => one.isOn === isOn);
      const mean = (of: keyof Slice) => ((a?.[of] ?? NaN) + (b?.[of] ?? NaN)) / 2;
      return { micros: mean("micros"), perSecond: mean("perSecond") };
    };
    // The first one warms up.
    if (round > 0) rounds.push({ off: meanOf(false), on: meanOf(true) });
  }
  print(rounds);
}

function print(rounds: readonly { off: Slice; on: Slice }[]): void {
  const line = (name: string, of: keyof Slice, digits: number) => {
    const ratios = rounds.map(({ off, on }) => on[of] / off[of]);
    return [
      name,
      middle(rounds.map(({ off }) => off[of])).toFixed(digits),
      middle(rounds.map(({ on }) => on[of])).toFixed(digits),
      middle(ratios).toFixed(3),
      `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    ];
  };
  const lines = [
    line("processor time of a call, µs", "micros", 1),
    line("calls a second", "perSecond", 0),
  ];
  const head = ["verify, known keys", "learning off", "on", "on ÷ off", "rounds"];
  console.log(table(head, lines).join("\n"));
}

function gatewayOf(org_id: string): Gateway {
  const gateway = new Gateway(org_id, "murmur32");
  gateway.plans.push({
    _id: PLAN,
    id: PLAN,
    name: PLAN,
    org_id,
    active: true,
    quota_max: -1,
    quota_renewal_rate: -1,
    access_rights: { weather: { api_id: "weather", versions: ["Default"] } },
  });
  gateway.apis.push({ api_id: "weather", org_id, use_oauth2: false });
  return gateway;
}

/** Keys that the gateway alone knows. */
async function toLearn(gateway: Gateway): Promise<string[]> {
  const keys = Array.from(
    { length: Number(values.learned) },
    (_, n) => legacyKey(gateway.org_id, sha256(`learned ${n}`).slice(0, 32)),
  );
  for (const key of keys) {
    gateway.records.set(`apikey-${await gateway.nameOf(key)}`, gateway.newSession("", [PLAN]));
  }
  return keys;
}

/** Each once, until it opens: so memory holds what it will hold. */
async function useAll(keys: readonly string[], opens: (key: string) => Promise<boolean>) {
  let next = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) {
      const one = key;
      await until(() => opens(one));
    }
  }));
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!await isSo()) {
    if (performance.now() - began > 60_000) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Starts once, so that the organisation is there, then fills. */
async function fill(): Promise<void> {
  await (await startKeydesk(dataDir)).stop();
  const options = ["--rows", values.rows, "--used", values.used, "--keys", list];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "bench/fill-keys.ts", "--data", dataDir, ...options],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
