/** Real proxies with the configurations of docs/gateways: who is let in, and who no longer is. */
import assert from "node:assert/strict";
import { Portal, walkThrough } from "../../../examples/portal-client.ts";
import { keydesk } from "../../../test/support/command.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../../test/support/processes.ts";
import {
  type DoorSettings,
  proxies,
  startApi,
  startGateway,
  startGatewayOfTwo,
} from "../../support/proxies.ts";

const API = "weather";
/** The headers, after their common beginning, of which no forged one may reach the API. */
const known = [
  "key-id",
  "kind",
  "developer",
  "plans",
  "expires-at",
  "reason",
  "api",
  "authorization",
  "rate-limit",
  "rate-remaining",
  "rate-reset",
  "quota-limit",
  "quota-remaining",
  "quota-reset",
];
/** How soon a revoked key must be refused. */
const REVOKED_MS = 1000;

/** Plans are added as a portal adds them. */
async function addPlan(server: ServerProcess, plan: Record<string, unknown>): Promise<string> {
  const access_rights = { [API]: { api_id: API, api_name: "Weather", versions: ["Default"] } };
  const body = { active: true, auth_type: "authToken", access_rights, ...plan };
  const { status, body: answer } = await server.send("POST", "/api/portal/policies", { body });
  assert.equal(status, 200, JSON.stringify(answer));
  return answer.Message;
}

/** A key out of a key request and its approval, by the legacy interface. */
async function keyFor(server: ServerProcess, for_plan: string, by_user: string, more = {}) {
  const requests = "/api/portal/requests";
  const created = await server.send("POST", requests, { body: { by_user, for_plan, ...more } });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const approved = await server.send("PUT", `${requests}/approve/${created.body.Message}`);
  assert.equal(approved.status, 200, JSON.stringify(approved.body));
  return approved.body;
}

async function verifyCredential(dataDir: string): Promise<string> {
  const words = ["token", "create", "gateway", "--allow", "verify"];
  const { code, stdout, stderr } = await keydesk(words, { KEYDESK_DATA_DIR: dataDir });
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

/** A call through the door. */
async function knock(url: string, key?: string, init: RequestInit = {}) {
  const headers = new Headers(init.headers);
  if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
  const response = await fetch(`${url}/forecast?city=Bergen`, { ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The first line of the answer to a path that is sent as it is. */
async function statusLine(url: string, path: string): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const head = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  const [line = ""] = (await new Response(connection.readable).text()).split("\r\n");
  return line;
}

/** Knocks until the credential, which has just ended, is refused. */
async function assertRefusedSoon(url: string, key: string): Promise<void> {
  const since = performance.now();
  let status = 200;
  while (status === 200) {
    // A call that begins later than that is refused, however slow the machine is.
    const ms = performance.now() - since;
    status = (await knock(url, key)).status;
    assert.ok(status !== 200 || ms < REVOKED_MS, `still let in, asked after ${ms} ms`);
  }
  assert.equal(status, 401);
}

for (const kind of proxies) {
  Deno.test(`${kind}: a key opens the door from its approval until its end, and no forged header passes`, async () => {
    await withFolder(async (dataDir) => {
      await using api = startApi();
      const server = await startServerProcess({ dataDir });
      await using _server = server;
      const settings: DoorSettings = {
        API_ADDRESS: api.address,
        API_ID: API,
        DESK_ADDRESS: `${server.hostname}:${server.port}`,
        DESK_CREDENTIAL: await verifyCredential(dataDir),
        GATEWAY_NAME: `${kind}-1`,
      };
      const made = { connection: "checks", name: settings.GATEWAY_NAME, kind };
      assert.equal((await server.send("POST", "/v1/gateways", { body: made })).status, 200);
      await using door = await startGateway(kind, settings, dataDir);
      const plan = await addPlan(server, { name: "Weather" });
      const elsewhere = await addPlan(server, {
        name: "Maps",
        access_rights: { maps: { api_id: "maps", api_name: "Maps", versions: ["Default"] } },
      });
      const limited = await addPlan(server, { name: "Few", rate: 3, per: 60 });

      // Refused before there is a key.
      const dashed = [...known, "developer-email", "developer-email-verified"]
        .map((name) => `x-keydesk-${name}`);
      // As those that a backend behind CGI can't tell from the ones with dashes.
      const alike = dashed.flatMap((name) => [
        name.replaceAll("-", "_"),
        name.replace("x-", "x_"),
        name.replace("keydesk-", "keydesk_"),
      ]);
      const forged = Object.fromEntries([...dashed, ...alike].map((name) => [name, "mallory"]));
      for (const key of [undefined, "", "no-such-key"]) {
        const refused = await knock(door.url, key, { headers: forged });
        assert.equal(refused.status, 401);
        assert.match(refused.headers.get("www-authenticate") ?? "", /^Bearer/);
        if (kind === "nginx") {
          assert.equal(refused.headers.get("content-type"), "application/json");
        }
      }
      const posing = { "x-keydesk-authorization": `Bearer ${server.credential}` };
      assert.equal((await knock(door.url, undefined, { headers: posing })).status, 401);
      // No path leads the question to a place of the desk that anybody may ask.
      for (const path of ["/../../readyz", "/%2e%2e/%2e%2e/readyz", "/..%2f..%2freadyz"]) {
        assert.match(await statusLine(door.url, path), /^HTTP\/1\.1 40[0-9]/, path);
      }
      assert.equal(api.reached.length, 0);

      // The same request passes with a key; the API learns whose it is, and never the key.
      const { RawKey } = await keyFor(server, plan, "dev-ada");
      const body = "the body of a call";
      const passed = await knock(door.url, RawKey, { method: "POST", headers: forged, body });
      assert.deepEqual([passed.status, passed.text], [200, "served by the API"]);
      const [reached] = api.reached.splice(0);
      assert.equal(reached?.method, "POST");
      assert.equal(reached?.path, "/forecast?city=Bergen");
      assert.equal(reached?.body, body);
      assert.equal(reached?.headers.get("x-keydesk-developer"), "dev-ada");
      assert.equal(reached?.headers.get("x-keydesk-plans"), plan);
      assert.match(reached?.headers.get("x-keydesk-key-id") ?? "", /^[0-9a-f]{64}$/);
      const seen = JSON.stringify([...reached?.headers ?? []]);
      assert.equal(reached?.headers.get("x-keydesk-kind"), "token");
      for (const never of ["mallory", RawKey, settings.DESK_CREDENTIAL, "{http."]) {
        assert.ok(!seen.includes(never), `the API sees ${never}: ${seen}`);
      }

      // Where the developer's address goes, it goes with whether it is known to be theirs.
      const developer = { id: "dev-eve", email: "eve@example.org" };
      assert.equal((await server.send("POST", "/v1/developers", { body: developer })).status, 200);
      const { RawKey: eves } = await keyFor(server, plan, developer.id);
      assert.equal((await knock(door.url, eves, { headers: forged })).status, 200);
      const told = api.reached.splice(0)[0]?.headers;
      assert.deepEqual(
        ["", "-verified"].map((end) => told?.get(`x-keydesk-developer-email${end}`)),
        kind === "nginx" || kind === "envoy" ? ["eve@example.org", "false"] : [null, null],
      );

      // Another API's key, and one that may call only so often.
      const { RawKey: other } = await keyFor(server, elsewhere, "dev-bob");
      assert.equal((await knock(door.url, other)).status, 403);
      const choosing = { "x-keydesk-api": "maps" };
      assert.equal((await knock(door.url, other, { headers: choosing })).status, 403);
      const { RawKey: few } = await keyFor(server, limited, "dev-cleo");
      const statuses: number[] = [];
      for (let i = 0; i < 3; i++) statuses.push((await knock(door.url, few)).status);
      assert.deepEqual(statuses, [200, 200, 200]);
      const slowed = await knock(door.url, few);
      assert.equal(slowed.status, 429);
      assert.match(slowed.headers.get("retry-after") ?? "", /^[1-9][0-9]*$/);

      // A client's token opens it too.
      const oauth_info = { redirect_uri: "https://app.example.org/back" };
      const { client_id, secret } = await keyFor(server, plan, "dev-dora", { oauth_info });
      const answer = await fetch(`${server.url}/oauth/token`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${client_id}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: "client_credentials" }),
      });
      const { access_token } = await answer.json();
      assert.equal((await knock(door.url, access_token)).status, 200);

      // Its end by the client, and the key's by the legacy interface: refused within a second, and
      // for good.
      const ended = await fetch(`${server.url}/oauth/revoke`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${client_id}:${secret}`)}` },
        body: new URLSearchParams({ token: access_token }),
      });
      assert.equal(ended.status, 200);
      await ended.body?.cancel();
      await assertRefusedSoon(door.url, access_token);
      const keyId = reached?.headers.get("x-keydesk-key-id");
      const path = `/api/portal/developers/dev-ada/keys/${keyId}`;
      assert.equal((await server.send("DELETE", path)).status, 200);
      await assertRefusedSoon(door.url, RawKey);
      api.reached.splice(0);
      for (let i = 0; i < 5; i++) assert.equal((await knock(door.url, RawKey)).status, 401);

      // The desk knows where all of that was asked, by which version of the file.
      const gatewayNow = async () =>
        (await server.send("GET", "/v1/gateways?connection=checks")).body.data[0];
      while ((await gatewayNow()).state !== "calling") {
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      assert.equal((await gatewayNow()).version, "2");

      // Nobody is let in on a guess.
      server.kill("SIGKILL");
      await server.ended;
      assert.ok((await knock(door.url, few)).status >= 500);
      assert.equal(api.reached.length, 0);
    });
  });
}

for (const start of [startGateway, startGatewayOfTwo]) {
  Deno.test(`nginx: a key that calls too often is told 429 and leaves no line in the error log (${start.name})`, async () => {
    await withFolder(async (dataDir) => {
      await using api = startApi();
      const server = await startServerProcess({ dataDir });
      await using _server = server;
      const door = await start("nginx", {
        API_ADDRESS: api.address,
        WEATHER_ADDRESS: api.address,
        TIDES_ADDRESS: api.address,
        API_ID: API,
        DESK_ADDRESS: `${server.hostname}:${server.port}`,
        DESK_CREDENTIAL: await verifyCredential(dataDir),
        GATEWAY_NAME: "",
      }, dataDir);
      const few = await addPlan(server, { name: "Few", rate: 2, per: 60 });
      const { RawKey } = await keyFor(server, few, "dev-cleo");
      const maps = { maps: { api_id: "maps", api_name: "Maps", versions: ["Default"] } };
      const elsewhere = await addPlan(server, { name: "Maps", access_rights: maps });
      const { RawKey: other } = await keyFor(server, elsewhere, "dev-bob");
      const call = async (key: string) => {
        const response = await fetch(`${door.url}/weather/today`, {
          headers: { authorization: `Bearer ${key}` },
        });
        await response.text();
        return [response.status, Number(response.headers.get("retry-after")) > 1];
      };
      try {
        const answers = [];
        for (let i = 0; i < 20; i++) answers.push(await call(RawKey));
        assert.deepEqual(answers.slice(0, 2), Array(2).fill([200, false]));
        assert.deepEqual(answers.slice(2), Array(18).fill([429, true]));
        assert.deepEqual(await call(other), [403, false]);
        assert.deepEqual(await call("no-such-key"), [401, false]);
      } finally {
        await door[Symbol.asyncDispose]();
      }
      assert.deepEqual(
        door.errors().split("\n").filter((line) => /\[(error|crit)\]/.test(line)),
        [],
      );
    });
  });
}

Deno.test("the portal client of examples goes from registration to a call, and to a key that is no more", async () => {
  await withFolder(async (dataDir) => {
    await using api = startApi();
    await using server = await startServerProcess({ dataDir });
    await using door = await startGateway("nginx", {
      API_ADDRESS: api.address,
      API_ID: API,
      DESK_ADDRESS: `${server.hostname}:${server.port}`,
      DESK_CREDENTIAL: await verifyCredential(dataDir),
      GATEWAY_NAME: "",
    }, dataDir);
    const plan = await addPlan(server, { name: "Weather", rate: 60, per: 60 });
    const said: string[] = [];
    await walkThrough(new Portal(server.url, server.credential), door.url, plan, (line) => {
      said.push(line);
    });
    const told = said.join("\n");
    assert.match(told, /^a wrong password: refused$/m);
    assert.match(told, /^the plan Weather: 60 calls in 60 s$/m);
    assert.match(told, /^a call without a key: 401$/m);
    assert.match(told, /^a call with the key: 200$/m);
    assert.match(told, /^a call with the revoked key: 401$/m);
  });
});

Deno.test("nginx: the API's own limit of a body holds, and the question has none", async () => {
  await withFolder(async (dataDir) => {
    await using api = startApi();
    await using server = await startServerProcess({ dataDir });
    const plan = await addPlan(server, { name: "Weather" });
    const { RawKey } = await keyFor(server, plan, "dev-ada");
    const settings = {
      API_ADDRESS: api.address,
      API_ID: API,
      DESK_ADDRESS: `${server.hostname}:${server.port}`,
      DESK_CREDENTIAL: await verifyCredential(dataDir),
      GATEWAY_NAME: "",
    };
    const own = "location / {\n  client_max_body_size 8m;";
    const change = (text: string) => text.replace("location / {", own);
    await using gateway = await startGateway("nginx", settings, dataDir, change);
    const send = async (key: string | undefined, megabytes: number) => {
      const body = "x".repeat(megabytes * 1024 * 1024);
      return (await knock(gateway.url, key, { method: "POST", body })).status;
    };
    assert.deepEqual([await send(RawKey, 2), await send(RawKey, 7)], [200, 200]);
    assert.equal(await send("no-such-key", 2), 401);
    assert.equal(await send(RawKey, 9), 413);
    assert.equal(api.reached.length, 2);
  });
});
