/** One list of gateways: who reads which of them, what each connection takes, and former names. */
import assert from "node:assert/strict";
import { formerNames } from "../../../src/contract/former-names.ts";
import { readPermissions, storedPermissions } from "../../../src/contract/permissions.ts";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";
import { written } from "../../support/usage.ts";
import { callInPerson } from "../../support/sign-in.ts";

const GATEWAYS = "/v1/gateways";
const CITY = {
  connection: "synced",
  name: "City",
  url: "https://gateway.example.org",
  secret: "s",
};

async function filled(desk: TestDesk): Promise<{ checks: string; synced: string; map: string }> {
  const add = async (body: object) => (await callInPerson(desk, "POST", GATEWAYS, body)).id;
  return {
    checks: await add({ connection: "checks", kind: "tyk", name: "edge-1" }),
    synced: await add(CITY),
    map: await add({
      connection: "map",
      kind: "agentgateway",
      name: "Far",
      map: { socket: "fetched" },
    }),
  };
}

testOnEngines(
  "one list: each member needs its own permission, and can be listed alone",
  async (desk) => {
    const ids = await filled(desk);
    const listed = async (query: string, credential?: string) => {
      const { data } = await call(desk, "GET", GATEWAYS + query, undefined, credential);
      return data.map((one: Record<string, unknown>) => [one.name, one.connection, one.kind]);
    };
    const all = [
      ["City", "synced", "tyk"],
      ["Far", "map", "agentgateway"],
      ["edge-1", "checks", "tyk"],
    ];
    const both = await desk.token(["portal:read", "admin:read"]);
    assert.deepEqual(await listed("", both), all);
    assert.deepEqual(await listed("?connection=map", both), [all[1]]);
    const portal = await desk.token(["portal:read"]);
    assert.deepEqual(await listed("", portal), [all[2]]);
    assert.deepEqual(await listed("?connection=synced", portal), []);
    const admin = await desk.token(["admin:read"]);
    assert.deepEqual(await listed("", admin), all.slice(0, 2));
    const status = async (id: string, credential: string) => {
      const answer = await desk.send("GET", `${GATEWAYS}/${id}`, { credential });
      await answer.body?.cancel();
      return answer.status;
    };
    assert.deepEqual([await status(ids.checks, portal), await status(ids.synced, portal)], [
      200,
      404,
    ]);
    assert.deepEqual([await status(ids.checks, admin), await status(ids.map, admin)], [404, 200]);
    const moon = await desk.send("GET", `${GATEWAYS}?connection=moon`);
    assert.equal((await moon.json()).detail, "connection: expected checks or synced or map");
  },
);

testOnEngines(
  "one list: a gateway takes what its connection needs, and nothing else",
  async (desk) => {
    const ids = await filled(desk);
    const said = async (method: string, path: string, body: object, credential?: string) => {
      const answer = await desk.send(method, path, { body, ...credential ? { credential } : {} });
      return `${answer.status} ${(await answer.json()).detail}`;
    };
    const post = (body: object, credential?: string) => said("POST", GATEWAYS, body, credential);
    assert.match(
      await post({ connection: "checks", name: "edge-2", secret: "s" }),
      /^400 secret: belongs to connections synced and map/,
    );
    assert.match(
      await post({ connection: "checks", name: "edge-2", kind: "agentgateway" }),
      /^400 kind: expected nginx/,
    );
    assert.match(await post({ ...CITY, silent_minutes: 5 }), /^400 silent_minutes: belongs to/);
    assert.match(await post({ ...CITY, kind: "nginx" }), /^400 kind: expected tyk/);
    assert.match(
      await post({ connection: "map", kind: "envoy", name: "Far", map: {} }),
      /^400 kind: expected haproxy or agentgateway/,
    );
    assert.match(await post({ name: "edge-2" }), /^400 connection: /);
    // Without `approve` only those that check calls are added.
    const admin = await desk.token(["admin"]);
    assert.match(await post(CITY, admin), /^403 /);
    assert.match(await post({ connection: "checks", name: "edge-2" }, admin), /^200 /);
    const put = (id: string, body: object) => said("PUT", `${GATEWAYS}/${id}`, body);
    assert.match(await put(ids.checks, { name: "edge-9" }), /^400 name: stays/);
    assert.match(await put(ids.checks, { url: CITY.url }), /^400 url: belongs to/);
    assert.match(await put(ids.synced, { url: CITY.url }), /^400 name: /);
    const far = await call(desk, "PUT", `${GATEWAYS}/${ids.map}`, {
      name: "Farther",
      map: { socket: "fetched" },
    });
    assert.deepEqual([far.name, far.kind, "form" in far.map], ["Farther", "agentgateway", false]);
    assert.deepEqual(await call(desk, "DELETE", `${GATEWAYS}/${ids.checks}`), {
      left: 0,
      ending: false,
      files: [],
    });
    await assertFailure(await desk.send("GET", `${GATEWAYS}/${ids.checks}`), "not_found");
  },
);

testOnEngines("one list: the former header is read, and shown as of an old file", async (desk) => {
  await call(desk, "POST", GATEWAYS, { connection: "checks", kind: "nginx", name: "edge-1" });
  const ask = async (headers: Record<string, string>) => {
    const body = { key: "nobody-has-this-key-at-all" };
    const answer = await desk.send("POST", "/v1/keys/verify", { body, headers });
    await answer.body?.cancel();
    await written(desk);
    const { data: [one] } = await call(desk, "GET", GATEWAYS);
    return [one.version, one.newer_version];
  };
  assert.deepEqual(await ask({ "x-keydesk-door": "edge-1;1" }), ["X-Keydesk-Door 1", "2"]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(
    await ask({ "x-keydesk-gateway": "edge-1;2", "x-keydesk-door": "other-one;1" }),
    [
      "2",
      null,
    ],
  );
});

Deno.test("one list: rows keep the word of the map's permission", () => {
  assert.deepEqual(storedPermissions(["gateways:map", "verify"]), ["verify", "doors"]);
  assert.deepEqual(readPermissions(["doors", "verify", "moon"]), ["verify", "gateways:map"]);
  assert.deepEqual(readPermissions(["gateways:map"]), []);
  assert.equal(formerNames.permissions.doors, "gateways:map");
});

testOnEngines(
  "one list: tokens and roles keep the map's permission in their rows",
  async (desk) => {
    const role = await callInPerson(desk, "POST", "/v1/roles", {
      name: "Fetchers",
      permissions: ["gateways:map", "verify"],
    });
    assert.deepEqual(role.permissions, ["verify", "gateways:map"]);
    const { data } = await call(desk, "GET", "/v1/roles");
    const found = data.find(({ id }: { id: string }) => id === role.id);
    assert.deepEqual(found.permissions, ["verify", "gateways:map"]);
  },
);
