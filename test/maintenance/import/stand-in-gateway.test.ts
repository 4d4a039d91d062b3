/** The gateway of examples/moving: the traits of the original's that a move has to reckon with. */
import assert from "node:assert/strict";
import { policiesFile } from "../../../examples/moving/exports.ts";
import { CHOSEN_KEY, filled, ids, ORG } from "../../../examples/moving/fill.ts";
import type { Members } from "../../../examples/moving/gateway.ts";
import { atGateway, GATEWAY_SECRET } from "../../../examples/moving/gateway-interface.ts";
import { hashings, hashOf, rawKey } from "../../../examples/moving/keys.ts";
import type { Original } from "../../../examples/moving/original.ts";

/** A call of the gateway's interface, or of an API behind it. */
async function call(
  { gateway }: Original,
  method: string,
  path: string,
  { authorization, body }: { authorization?: string; body?: string } = {},
): Promise<[status: number, body: Members]> {
  const headers: Record<string, string> = { "x-tyk-authorization": GATEWAY_SECRET };
  if (authorization !== undefined) headers.authorization = authorization;
  const init = { method, headers, ...body === undefined ? {} : { body } };
  const response = await atGateway(gateway, new Request(`http://gateway${path}`, init));
  return [response.status, await response.json()];
}

const keyPath = (name: string, query = "?hashed=true") =>
  `/tyk/keys/${encodeURIComponent(name)}${query}`;
const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`;

for (const hashing of hashings) {
  Deno.test(`stand-in: a gateway of setting ${hashing} names, shows and opens keys as the original does`, async () => {
    const original = await filled(0, hashing);
    const { gateway } = original;
    const by = hashing === "none" ? "murmur64" : hashing;
    const wrapped = (text: string) => rawKey(ORG, text, by);
    const nameOf = async (key: string) => hashing === "none" ? key : await hashOf(key);
    const chosen = await nameOf(wrapped(CHOSEN_KEY));
    const [, { keys }] = await call(original, "GET", "/tyk/keys");
    assert.ok(Array.isArray(keys) && keys.includes(chosen) && !keys.includes(CHOSEN_KEY));
    // Presented as it was chosen.
    const at = async (authorization: string) =>
      (await call(original, "GET", "/weather/", { authorization }))[0];
    assert.equal(await at(CHOSEN_KEY), 200);

    const user = await nameOf(wrapped("ada"));
    const [byHash, told] = await call(original, "GET", keyPath(user));
    if (hashing === "none") {
      assert.equal(byHash, 400);
      assert.equal(told.message, "Key requested by hash but key hashing is not enabled");
    } else assert.equal(byHash, 200);
    const query = hashing === "none" ? "" : "?hashed=true";
    const shown = async () => (await call(original, "GET", keyPath(user, query)))[1];
    assert.deepEqual((await shown()).basic_auth_data, { password: "", hash_type: "bcrypt" });
    gateway.showsEmptyPassword = false;
    assert.deepEqual((await shown()).basic_auth_data, { hash_type: "bcrypt" });
    assert.match(JSON.stringify(gateway.session(user)?.basic_auth_data), /"\$2[aby]\$/);
    // The user name alone is no key, wrapped or not; with its password it opens.
    assert.deepEqual([await at("ada"), await at(wrapped("ada"))], [400, 400]);
    assert.deepEqual([await at(basic("ada", "correct horse")), await at(basic("ada", "no"))], [
      200,
      401,
    ]);
  });
}

Deno.test("stand-in: policies without the dashboard have an empty _id, in a list or a map", async () => {
  const original = await filled(0);
  const [, policies] = await call(original, "GET", "/tyk/policies");
  for (const list of [policies, JSON.parse(policiesFile(original, "list"))]) {
    assert.deepEqual([list[0]._id, list[0].id], ["", ids.plan(1)]);
  }
  const byId = JSON.parse(policiesFile(original, "map"));
  assert.deepEqual([byId[ids.plan(1)]._id, byId[ids.plan(1)].id], ["", ids.plan(1)]);
});

Deno.test("stand-in: what is used of a quota stands in a record of its own, which the interface counts in", async () => {
  const original = await filled(1);
  const { gateway, holders: [holder] } = original;
  assert.ok(holder);
  const name = await hashOf(holder.key);
  for (let n = 0; n < 3; n++) await gateway.open(holder.key, holder.api_id);
  assert.equal(gateway.records.get(`quota-${name}`), "3");
  assert.equal(gateway.session(name)?.quota_remaining, 1_000_000);
  const [, shown] = await call(original, "GET", keyPath(name));
  assert.equal(shown.quota_remaining, 999_997);
});

Deno.test("stand-in: a call in flight writes its session back over a deletion and a suspension, where it has a quota", async () => {
  const original = await filled(1);
  const { gateway, holders: [holder] } = original;
  assert.ok(holder);
  const { key, api_id } = holder;
  const name = await hashOf(key);
  const during = (work: () => Promise<unknown>) =>
    gateway.open(key, api_id, async () => void await work());
  await during(() => call(original, "DELETE", keyPath(name)));
  assert.equal((await call(original, "GET", keyPath(name)))[0], 200);
  const suspended = { org_id: ORG, apply_policies: [ids.plan(1)], expires: 1 };
  const suspend = () => call(original, "PUT", keyPath(name), { body: JSON.stringify(suspended) });
  await during(suspend);
  assert.equal((await gateway.open(key, api_id)).status, 200);
  await suspend();
  assert.equal((await gateway.open(key, api_id)).status, 401);
  // Without a quota it stays deleted.
  Object.assign(gateway.session(name) ?? {}, { expires: 0, quota_max: -1 });
  await during(() => call(original, "DELETE", keyPath(name)));
  assert.equal((await gateway.open(key, api_id)).status, 403);
});

Deno.test("stand-in: at the door a call is in flight until its body has come", async () => {
  const original = await filled(1);
  const { gateway, holders: [holder] } = original;
  assert.ok(holder);
  const name = await hashOf(holder.key);
  const read = Promise.withResolvers<void>();
  const whole = Promise.withResolvers<void>();
  const body = new ReadableStream({
    pull: async (controller) => {
      read.resolve();
      await whole.promise;
      controller.close();
    },
  }, { highWaterMark: 0 });
  const headers = { authorization: holder.key };
  const init = { method: "POST", headers, body };
  const answer = atGateway(gateway, new Request(`http://gateway/${holder.api_id}/`, init));
  await read.promise;
  assert.equal((await call(original, "DELETE", keyPath(name)))[0], 200);
  assert.equal((await call(original, "GET", keyPath(name)))[0], 404);
  whole.resolve();
  assert.equal((await answer).status, 200);
  assert.equal((await call(original, "GET", keyPath(name)))[0], 200);
});

Deno.test("stand-in: a key is made by its inner id, and by hash nothing is", async () => {
  const original = await filled(0);
  const session = { org_id: ORG, apply_policies: [ids.plan(1)] };
  const send = (method: string, path: string, more: object = {}) =>
    call(original, method, path, { body: JSON.stringify({ ...session, ...more }) });
  const key = rawKey(ORG, "a".repeat(32), "sha256");
  const [, made] = await send("POST", keyPath("a".repeat(32), ""));
  assert.deepEqual([made.key, made.key_hash], [key, await hashOf(key)]);
  const opens = async (one: string) => (await original.gateway.open(one, "weather")).status;
  assert.equal(await opens(key), 200);
  const whole = rawKey(ORG, "b".repeat(32), "sha256");
  assert.deepEqual([(await send("POST", keyPath(whole, "")))[0], await opens(whole)], [200, 403]);
  const hash = await hashOf(whole);
  assert.equal((await send("POST", keyPath(hash)))[0], 200);
  assert.equal((await send("PUT", keyPath(hash)))[0], 404);
  assert.equal(await opens(whole), 403);
  assert.equal((await send("POST", keyPath("c", ""), { apply_policies: ["gone"] }))[0], 500);
  // A past end is as if none was sent; 1 is the end.
  await send("PUT", keyPath(String(made.key_hash)), { expires: 2 });
  assert.equal(await opens(key), 200);
  await send("PUT", keyPath(String(made.key_hash)), { expires: 1 });
  assert.equal(await opens(key), 401);
  // A user's password stays where none is sent.
  const user = { basic_auth_data: { password: "correct horse" } };
  const [, { key_hash }] = await send("POST", keyPath("grace", ""), user);
  await send("PUT", keyPath(String(key_hash)));
  assert.equal(
    (await original.gateway.openAsUser("grace", "correct horse", "weather")).status,
    200,
  );
});

Deno.test("stand-in: OAuth clients stand in records of their API, and one that is unknown gets no further", async () => {
  const original = await filled(0);
  const { gateway } = original;
  const ask = (client_id: string) =>
    call(original, "POST", "/climate/oauth/token/", {
      body: new URLSearchParams({ client_id, client_secret: `secret-of-${client_id}` }).toString(),
    });
  const [, { access_token }] = await ask("client-two");
  const opened = async () =>
    await call(original, "GET", "/climate/", { authorization: String(access_token) });
  assert.equal((await opened())[0], 200);
  assert.deepEqual((await call(original, "GET", "/tyk/oauth/clients/climate"))[1], [
    ...["client-one", "client-two"].map((client_id) => ({
      client_id,
      secret: `secret-of-${client_id}`,
      policy_id: ids.plan(2),
      redirect_uri: "https://app.example.org/cb",
    })),
  ]);
  gateway.records.delete("oauth-data.climate.oauth-clientid.client-two");
  assert.deepEqual(await ask("client-two"), [403, { error: "server_error" }]);
  assert.deepEqual(await opened(), [403, { error: "server_error" }]);
});

Deno.test("stand-in: an empty Redis lists nothing and knows nothing", async () => {
  const original = await filled(1);
  const [, { keys }] = await call(original, "GET", "/tyk/keys");
  assert.ok(Array.isArray(keys) && keys.length > 0);
  original.gateway.loseRecords();
  assert.deepEqual(await call(original, "GET", "/tyk/keys"), [200, { keys: [] }]);
  assert.deepEqual((await call(original, "GET", "/tyk/oauth/clients/climate"))[1], []);
  for (const method of ["GET", "DELETE"]) {
    assert.equal((await call(original, method, keyPath(String(keys[0]))))[0], 404);
  }
});

Deno.test("stand-in: sessions in memory outlive their key under calls, and a Redis that is away knows none", async () => {
  for (const [hashing, opensStill] of [["sha256", 200], ["murmur64", 403]] as const) {
    const { gateway } = await filled(0, hashing);
    gateway.cachesSessions = true;
    const { key, name } = await gateway.add("e".repeat(32), gateway.newSession("", [ids.plan(1)]));
    assert.equal((await gateway.open(key, "weather")).status, 200);
    gateway.revoke(name);
    assert.equal((await gateway.open(key, "weather")).status, opensStill);
    gateway.redisIsAway = true;
    assert.deepEqual([gateway.names(), gateway.session(name)], [[], undefined]);
    assert.throws(() => gateway.revoke(name), { status: 404 });
    await assert.rejects(gateway.add("f", {}), { status: 500 });
  }
});

Deno.test("stand-in: OAuth clients are made for each API of a plan, and taken away from each", async () => {
  const original = await filled(0);
  const client = { client_id: "three", secret: "s", redirect_uri: "", policy_id: ids.plan(2) };
  const make = (body: object) =>
    call(original, "POST", "/tyk/oauth/clients/create", { body: JSON.stringify(body) });
  assert.deepEqual(await make(client), [200, client]);
  assert.equal((await make({ ...client, policy_id: "gone" }))[0], 500);
  const remove = () => call(original, "DELETE", "/tyk/oauth/clients/climate/three");
  assert.deepEqual([(await remove())[0], (await remove())[0]], [200, 200]);
});
