/**
 * A script that takes the gateway at its word: what a webhook's receiver does that deletes keys
 * there and believes the answer. Each trait of the gateway leaves a revoked key open behind it.
 */
import assert from "node:assert/strict";
import { API, type StandIn, standIn } from "../../support/gateway.ts";

const ORG = "5e9d9544a1dcd60001d0ed20";

/** Makes a key of a plan and gives it with its hash. */
async function issue(door: StandIn, plan: string): Promise<{ key: string; hash: string }> {
  const body = JSON.stringify({ org_id: ORG, apply_policies: [plan] });
  const made = await call(door, "POST", "/tyk/keys/0123456789abcdef0123456789abcdef", body);
  const { key, key_hash } = await made.json();
  return { key, hash: key_hash };
}

function call(door: StandIn, method: string, path: string, body?: string): Promise<Response> {
  const headers = { "x-tyk-authorization": door.secret };
  return fetch(door.url + path, { method, headers, ...body === undefined ? {} : { body } });
}

/** Deletes and believes; 404 is as good, since then there is nothing. */
async function naiveRevoke(door: StandIn, hash: string): Promise<"delivered"> {
  const answer = await call(door, "DELETE", `/tyk/keys/${hash}?hashed=true`);
  await answer.body?.cancel();
  assert.ok(answer.status === 200 || answer.status === 404);
  return "delivered";
}

Deno.test("a naive script: a call in flight undoes its deletion where the plan has a quota", async () => {
  await using door = standIn(ORG);
  const { key, hash } = await issue(door, "plan-quota");
  await door.gateway.open(key, API, async () => void await naiveRevoke(door, hash));
  assert.equal(await door.open(key), 200);
});

Deno.test("a naive script: with sessions kept in memory no call that goes on hears of the end", async () => {
  await using door = standIn(ORG);
  door.gateway.cachesSessions = true;
  const { key, hash } = await issue(door, "plan-quota");
  assert.equal(await door.open(key), 200);
  await naiveRevoke(door, hash);
  for (let n = 0; n < 50; n++) assert.equal(await door.open(key), 200);
  // And it stands in the Redis again.
  assert.ok(door.gateway.session(hash));
});

Deno.test("a naive script: while its Redis is away, 404 says that a key is gone which opens afterwards", async () => {
  await using door = standIn(ORG);
  const { key, hash } = await issue(door, "plan-free");
  door.gateway.redisIsAway = true;
  assert.equal((await fetch(`${door.url}/hello`)).status, 200);
  await naiveRevoke(door, hash);
  door.gateway.redisIsAway = false;
  assert.equal(await door.open(key), 200);
});

Deno.test("a naive script: pushing a whole key is answered 200 and opens nothing", async () => {
  await using door = standIn(ORG);
  const { key } = await issue(door, "plan-free");
  await call(door, "DELETE", `/tyk/keys/${encodeURIComponent(key)}`);
  const body = JSON.stringify({ org_id: ORG, apply_policies: ["plan-free"] });
  const answer = await call(door, "POST", `/tyk/keys/${encodeURIComponent(key)}`, body);
  await answer.body?.cancel();
  assert.deepEqual([answer.status, await door.open(key)], [200, 403]);
});
