/** A real HAProxy that opens by hashes of keys, while the desk is there and while it is dead. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { HaproxySocket } from "../../../src/features/gateways/hashes/haproxy-socket.ts";
import { HashGateway } from "../../../src/features/gateways/hashes/hash-gateway.ts";
import { filesOf } from "../../../src/features/gateways/hashes/map-settings.ts";
import { openOutbound } from "../../../src/kernel/outbound/open-outbound.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { type Place, testKind } from "../../../test/features/gateways/conformance.ts";
import { keydesk, repository } from "../../../test/support/command.ts";
import { effort } from "../../../test/support/effort.ts";
import { eventually } from "../../../test/support/eventually.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../../test/support/processes.ts";
import { type Api, type Door, freePort, startApi, startProxy } from "../../support/proxies.ts";
import { fetchInPerson } from "../../../test/support/sign-in.ts";

/** So long is the desk dead: ten minutes where ten times the work is asked for. */
const DEAD_MS = effort > 1 ? effort * 60_000 : 3000;
const CONFIG = join(repository, "docs/gateways/hashes.haproxy.cfg");

interface Set {
  readonly folder: string;
  readonly id: string;
  readonly api: Api;
  readonly desk: string;
  readonly credential: string;
}

/** HAProxy with the documented file; a map that is not there yet is made empty, as it says. */
async function startGateway({ folder, id, api, desk, credential }: Set): Promise<Door> {
  const { map, socket } = filesOf(id);
  await (await Deno.open(join(folder, map), { write: true, create: true })).close();
  return await startProxy("haproxy", CONFIG, "GATEWAY_ADDRESS", {
    API_ADDRESS: api.address,
    API_ID: "weather",
    DESK_ADDRESS: desk,
    DESK_CREDENTIAL: credential,
    GATEWAY_NAME: "",
    MAP_FILE: join(folder, map),
    MAP_SOCKET: join(folder, socket),
  }, folder);
}

async function knock({ url }: Pick<Door, "url">, key: string): Promise<number> {
  const answer = await fetch(`${url}/forecast`, { headers: { authorization: `Bearer ${key}` } });
  await answer.body?.cancel();
  return answer.status;
}

testKind("hashes, at HAProxy", async (): Promise<Place> => {
  const folder = await Deno.makeTempDir({ prefix: "keydesk-hashes-" });
  const api = startApi();
  const id = "01J0000000000000000000000A";
  const { map: name, socket } = filesOf(id);
  const desk = `127.0.0.1:${freePort()}`;
  let door: Door | undefined = await startGateway({ folder, id, api, desk, credential: "none" });
  const outbound = openOutbound({ entries: [] });
  const map = { api: "", form: "haproxy", socket: "unix" } as const;
  return {
    org_id: "5e9d9544a1dcd60001d0ed20",
    plan: "plan-free",
    kind: () => {
      const at = { path: join(folder, socket) };
      return new HashGateway({ folder, id, map, socket: new HaproxySocket(outbound, at, name) });
    },
    opens: async (key) => door !== undefined && await knock(door, key) === 200,
    take: async (key_id) => {
      const haproxy = new HaproxySocket(outbound, { path: join(folder, socket) }, name);
      const number = await haproxy.map();
      const mark = await haproxy.mark(number) ?? "";
      await haproxy.change(number, new Map([[key_id, undefined]]), mark);
    },
    lose: () => Deno.writeTextFile(join(folder, name), ""),
    away: async () => {
      await door?.[Symbol.asyncDispose]();
      door = undefined;
    },
    [Symbol.asyncDispose]: async () => {
      await door?.[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
});

async function post(server: ServerProcess, path: string, body: object = {}, method = "POST") {
  const answer = await server.send(method, path, { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** A key of a plan, out of an approved request. */
async function keyFor(server: ServerProcess, for_plan: string): Promise<string> {
  const requests = "/api/portal/requests";
  const { Message } = await post(server, requests, { by_user: "dev ada", for_plan });
  return (await post(server, `${requests}/approve/${Message}`, {}, "PUT")).RawKey;
}

/** Waits until the key is at the gateway in this state. */
async function until(server: ServerProcess, key: string, state: string): Promise<void> {
  await eventually(`the key is ${state}`, async () => {
    const { body } = await server.send("GET", `/v1/keys/${sha256(key)}/gateways`);
    return body.data[0]?.state === state;
  });
}

/** What is in no map any more is asked about, and the desk itself refuses it soon. */
async function refusedSoon(door: Door, key: string): Promise<void> {
  await eventually("the key is refused", async () => {
    const status = await knock(door, key);
    assert.ok(status === 200 || status === 401, `${status}`);
    return status === 401;
  });
}

Deno.test("haproxy: by a map keys open while the desk is dead, and none that was ended, restarted or not", async () => {
  await withFolder(async (dataDir) => {
    const folder = join(dataDir, "maps");
    await Deno.mkdir(folder);
    const environment = { KEYDESK_GATEWAY_FOLDER: folder };
    await using api = startApi();
    await using server = await startServerProcess({ dataDir, environment });
    const rights = { weather: { api_id: "weather", api_name: "Weather", versions: ["Default"] } };
    for (const more of [{ id: "free" }, { id: "few", rate: 3, per: 60 }]) {
      await post(server, "/api/portal/policies", { name: more.id, access_rights: rights, ...more });
    }
    const map = { api: "weather", socket: "unix" };
    const { id } = await fetchInPerson(server.url, server.credential, "/v1/gateways", {
      name: "Edge",
      connection: "map",
      map,
    });
    const words = ["token", "create", "door", "--allow", "verify"];
    const token = await keydesk(words, { KEYDESK_DATA_DIR: dataDir });
    const desk = `${server.hostname}:${server.port}`;
    const set = { folder, id, api, desk, credential: token.stdout.trim() };
    let door = await startGateway(set);
    const keys: Record<"valid" | "revoked" | "suspended" | "resumed" | "ending" | "few", string> = {
      valid: "",
      revoked: "",
      suspended: "",
      resumed: "",
      ending: "",
      few: "",
    };
    for (const name of Object.keys(keys) as (keyof typeof keys)[]) {
      keys[name] = await keyFor(server, name === "few" ? "few" : "free");
    }
    // Before it stands in the map the desk is asked.
    for (const key of Object.values(keys)) assert.equal(await knock(door, key), 200);
    for (const key of Object.values(keys)) await until(server, key, "delivered");
    const change = (name: keyof typeof keys, what: string, body: object, method = "POST") =>
      post(server, `/v1/keys/${sha256(keys[name])}/${what}`, body, method);
    await change("revoked", "revoke", { reason: "gone" });
    await change("suspended", "suspend", { reason: "for now" });
    await change("resumed", "suspend", { reason: "for now" });
    const endMs = Date.now() + 8000;
    await change("ending", "expiry", { expires_at: new Date(endMs).toISOString() }, "PUT");
    for (const name of ["revoked", "suspended", "resumed"] as const) {
      await until(server, keys[name], name === "revoked" ? "gone" : "delivered");
      await refusedSoon(door, keys[name]);
    }
    await change("resumed", "resume", { reason: "again" });
    await until(server, keys.resumed, "delivered");
    await until(server, keys.ending, "delivered");
    assert.equal(await knock(door, keys.valid), 200);
    const { headers } = api.reached.at(-1) ?? { headers: new Headers() };
    const told = ["key-id", "kind", "developer", "plans"].map((one) =>
      headers.get(`x-keydesk-${one}`)
    );
    assert.deepEqual(told, [sha256(keys.valid), "token", "dev%20ada", "free"]);
    assert.equal(headers.get("authorization"), null);

    server.kill("SIGKILL");
    await server.ended;
    const shut = ["revoked", "suspended"] as const;
    const atDeath = async () => {
      for (const name of ["valid", "resumed"] as const) {
        assert.equal(await knock(door, keys[name]), 200, name);
      }
      for (const name of shut) assert.equal(await knock(door, keys[name]), 503, name);
    };
    const rates = [];
    for (let n = 0; n < 5; n++) rates.push(await knock(door, keys.few));
    assert.deepEqual(rates, [200, 200, 200, 429, 429]);
    for (const until = Date.now() + DEAD_MS; Date.now() < until;) {
      await atDeath();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    // A door that starts has the newest file.
    await door[Symbol.asyncDispose]();
    door = await startGateway(set);
    await atDeath();
    while (Date.now() < endMs + 1000) await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await knock(door, keys.ending), 401);
    await door[Symbol.asyncDispose]();
  });
});
