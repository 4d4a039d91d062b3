/**
 * Keys of the gateway's default hash function (murmur32), each called once while their gateway is
 * asked: `deno run -A bench/lazy-migration.ts`, in half a minute. One server, and the stand-in of
 * examples/moving on the same machine. Tells how many were let in by their first call, and how long
 * that took, beside the second call of each. `--keys 1000`, `--callers 8`, `--per-second 1000`.
 */
import { parseArgs } from "node:util";
import { Gateway } from "../examples/moving/gateway.ts";
import { atGateway, GATEWAY_SECRET } from "../examples/moving/gateway-interface.ts";
import { legacyKey, rawKey } from "../examples/moving/keys.ts";
import { sha256 } from "../src/kernel/sha256.ts";
import { startKeydesk } from "./processes.ts";
import { table } from "./tables.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    keys: { type: "string", default: "1000" },
    callers: { type: "string", default: "8" },
    "per-second": { type: "string", default: "1000" },
  },
});
const PLAN = "plan-of-old";

const folder = await Deno.makeTempDir({ prefix: "keydesk-bench-lazy-migration-" });
try {
  const dataDir = `${folder}/data`;
  const org_id = "5e9d9544a1dcd60001d0ed20";
  const gateway = gatewayOf(org_id);
  const answer = (request: Request) => atGateway(gateway, request);
  const listening = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  const host = `127.0.0.1:${listening.addr.port}`;
  const environment = { KEYDESK_OUTBOUND: host, KEYDESK_ORG_ID: org_id };
  const server = await startKeydesk(dataDir, environment);
  try {
    await measure(server.url, dataDir, gateway, host);
  } finally {
    await server.stop();
    await listening.shutdown();
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function measure(url: string, dataDir: string, gateway: Gateway, host: string) {
  const credential = (await Deno.readTextFile(`${dataDir}/administrator-credential`)).trim();
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: credential, "content-type": "application/json" };
    const init = { method, headers, ...body ? { body: JSON.stringify(body) } : {} };
    const response = await fetch(url + path, init);
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
  const { body: { id, unconfirmed_since } } = await send("POST", "/v1/gateways", added);
  if (unconfirmed_since) await confirm(url, credential, id, unconfirmed_since);
  const keys = await keptKeys(gateway, Number(values.keys));
  const ends_at = new Date(Date.now() + 86_400_000).toISOString();
  const on = { ends_at, questions_per_second: Number(values["per-second"]) };
  await until(async () =>
    (await send("PUT", `/v1/gateways/${id}/lazy-migration`, on)).status === 200
  );
  const rounds: [string, ...string[]][] = [];
  for (const name of ["first call", "second call"]) {
    const began = performance.now();
    const calls = await callAll(keys, (key) => send("POST", "/v1/keys/verify", { key }));
    const seconds = (performance.now() - began) / 1000;
    const times = calls.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const at = (share: number) => (times[Math.ceil(times.length * share) - 1] ?? NaN).toFixed(1);
    const opened = calls.filter(({ valid }) => valid).length;
    rounds.push([
      name,
      `${opened} of ${keys.length}`,
      at(0.5),
      at(0.99),
      at(1),
      seconds.toFixed(1),
    ]);
  }
  const { body: { migrated: learned } } = await send("GET", `/v1/gateways/${id}/lazy-migration`);
  console.log(table(["", "let in", "p50, ms", "p99", "longest", "seconds"], rounds).join("\n"));
  console.log(`${learned} keys migrated, ${values.callers} callers`);
}

/** Adding a gateway by an access token waits for a person's yes. */
async function confirm(url: string, credential: string, id: string, unconfirmed_since: string) {
  const body = JSON.stringify({ access_token: credential });
  const signedIn = await fetch(`${url}/v1/session`, { method: "POST", body });
  const { csrf_token } = await signedIn.json();
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const { status } = await fetch(`${url}/v1/gateways/${id}/confirm`, {
    method: "POST",
    headers: { cookie, "x-csrf-token": csrf_token, "content-type": "application/json" },
    body: JSON.stringify({ unconfirmed_since }),
  });
  if (status !== 200) throw new Error(`the gateway is not confirmed: ${status}`);
}

async function callAll(
  keys: readonly string[],
  ask: (key: string) => Promise<{ status: number; body: { valid?: boolean } }>,
): Promise<{ ms: number; valid: boolean }[]> {
  const calls: { ms: number; valid: boolean }[] = [];
  let next = 0;
  await Promise.all(Array.from({ length: Number(values.callers) }, async () => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) {
      const began = performance.now();
      const { status, body: { valid } } = await ask(key);
      calls.push({ ms: performance.now() - began, valid: status === 200 && valid === true });
    }
  }));
  return calls;
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

/** Keys as a gateway of the default makes them now, and of old. */
async function keptKeys(gateway: Gateway, count: number): Promise<string[]> {
  const { org_id } = gateway;
  const keys = Array.from({ length: count }, (_, n) => {
    const text = sha256(`lazy ${n}`).slice(0, 32);
    return n % 4 === 0 ? legacyKey(org_id, text) : rawKey(org_id, text, "murmur32");
  });
  for (const key of keys) {
    gateway.records.set(`apikey-${await gateway.nameOf(key)}`, gateway.newSession("", [PLAN]));
  }
  return keys;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!await isSo()) {
    if (performance.now() - began > 60_000) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
