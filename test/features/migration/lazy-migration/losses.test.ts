/** Where many keys would lose access by what a gateway says, a person's yes is awaited. */
import assert from "node:assert/strict";
import { legacyKey } from "../../../../examples/moving/keys.ts";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { movableClock, readKey } from "../../../support/keys.ts";
import {
  anewOf,
  keep,
  learn,
  type Learning,
  testLearning,
  textOf,
} from "../../../support/learning.ts";
import { call } from "../../../support/people.ts";
import { bySession, signIn } from "../../../support/sign-in.ts";
import { outcome } from "../../../support/verification.ts";

const clock = movableClock();
clock.at = Date.now();
const HOUR_MS = 60 * 60 * 1000;

const onClock = (promise: string, test: (learning: Learning) => Promise<void>) =>
  testLearning(`learning: ${promise}`, test, { clock });

/** So many keys that were learned. */
async function learned(learning: Learning, n: number) {
  const { desk, door } = learning;
  await learn(learning, {
    ends_at: new Date(clock.at + 300 * 24 * HOUR_MS).toISOString(),
    questions_per_second: 1000,
  });
  const keys = Array.from({ length: n }, (_, at) => legacyKey(desk.org_id, textOf(at)));
  const names: string[] = [];
  for (const key of keys) {
    names.push(await keep(door, key));
    assert.equal(await outcome(desk, key), "valid");
  }
  return { keys, names, ids: keys.map(sha256) };
}

/** These keys are used, a minute goes by, and the gateway is asked. */
async function minute(learning: Learning, keys: readonly string[]): Promise<void> {
  const { desk } = learning;
  clock.at += 10_000;
  for (const key of keys) await outcome(desk, key);
  await desk.app.ctx.verifier.writeUses();
  clock.at += 50_000;
  const engine = anewOf(learning);
  for (let turns = 0; turns < 5 && await engine.turn(); turns++);
  await engine.giveBack();
}

async function states({ desk }: Learning, ids: readonly string[]): Promise<Set<string>> {
  return new Set(await Promise.all(ids.map(async (id) => (await readKey(desk, id)).state)));
}

async function said({ desk, id }: Learning) {
  return await call(desk, "GET", `/v1/gateways/${id}/lazy-migration`);
}

async function told({ desk }: Learning, action: string): Promise<Record<string, unknown>[]> {
  const { data } = await call(desk, "GET", `/v1/audit-log?action=${action}`);
  return data.map(({ detail }: { detail: Record<string, unknown> }) => detail);
}

async function confirm(learning: Learning, awaiting: number): Promise<number> {
  const { desk, id } = learning;
  const browser = await signIn(desk, { credential: desk.admin });
  const path = `/v1/gateways/${id}/lazy-migration/confirm`;
  const response = await bySession(desk, browser, "POST", path, { awaiting });
  await response.body?.cancel();
  return response.status;
}

onClock("five keys lose access by themselves, and six wait for a yes", async (learning) => {
  const { door } = learning;
  const { keys, names, ids } = await learned(learning, 20);
  for (const name of names.slice(0, 5)) door.gateway.revoke(name);
  await minute(learning, keys);
  assert.deepEqual(await states(learning, ids.slice(0, 5)), new Set(["revoked"]));
  assert.equal((await said(learning)).awaiting, 0);
  clock.at += HOUR_MS;
  // Of each way in which a key may lose access.
  for (const name of names.slice(5, 9)) door.gateway.revoke(name);
  for (const name of names.slice(9, 11)) {
    await door.gateway.replace(name, { ...door.gateway.session(name), expires: 1 });
  }
  for (const name of names.slice(11, 13)) {
    const expires = Math.floor(clock.at / 1000);
    await door.gateway.replace(name, { ...door.gateway.session(name), expires });
  }
  await minute(learning, keys.slice(5));
  await minute(learning, keys.slice(5));
  assert.deepEqual(await states(learning, ids.slice(5)), new Set(["active"]));
  const { awaiting, awaiting_since } = await said(learning);
  assert.equal(awaiting, 8);
  assert.ok(awaiting_since);
  assert.deepEqual((await told(learning, "gateway.losses_await")).map(({ why }) => why), [
    "too_many",
  ]);
  assert.equal(await confirm(learning, 7), 412);
  assert.equal(await confirm(learning, 8), 200);
  await minute(learning, []);
  assert.deepEqual(await states(learning, ids.slice(5, 9)), new Set(["revoked"]));
  assert.deepEqual(await states(learning, ids.slice(9, 11)), new Set(["suspended"]));
  assert.deepEqual(await states(learning, ids.slice(11, 13)), new Set(["expired"]));
  assert.deepEqual(await states(learning, ids.slice(13)), new Set(["active"]));
  assert.equal((await said(learning)).awaiting, 0);
  assert.deepEqual((await told(learning, "gateway.losses_confirmed")).map(({ keys }) => keys), [8]);
});

onClock("keys that lose access one by one are no more within an hour", async (learning) => {
  const { door } = learning;
  const { keys, names, ids } = await learned(learning, 8);
  for (const [n, key] of keys.slice(0, 7).entries()) {
    door.gateway.revoke(names[n] ?? "");
    await minute(learning, [key]);
  }
  assert.deepEqual(await states(learning, ids.slice(0, 5)), new Set(["revoked"]));
  assert.deepEqual(await states(learning, ids.slice(5)), new Set(["active"]));
  assert.equal((await said(learning)).awaiting, 2);
  assert.equal((await told(learning, "gateway.losses_await")).length, 1);
});

onClock("a Redis that was emptied, with a new canary in it, ends no key", async (learning) => {
  const { door, provision } = learning;
  const { keys, names, ids } = await learned(learning, 3);
  const records = new Map(door.gateway.records);
  door.gateway.loseRecords();
  await minute(learning, keys);
  await provision();
  await minute(learning, keys);
  await minute(learning, keys);
  assert.deepEqual(await states(learning, ids), new Set(["active"]));
  assert.equal((await said(learning)).awaiting, 3);
  assert.deepEqual((await told(learning, "gateway.losses_await")).map(({ why }) => why), [
    "another_canary",
  ]);
  // The keys are there again, and nobody has to say anything.
  for (const [name, record] of records) door.gateway.records.set(name, record);
  await minute(learning, keys);
  assert.equal((await said(learning)).awaiting, 0);
  // From then on it is believed by the canary that it has now.
  door.gateway.revoke(names[0] ?? "");
  await minute(learning, keys);
  assert.equal((await readKey(learning.desk, ids[0] ?? "")).state, "revoked");
});

onClock("a yes takes nothing that the gateway no longer says", async (learning) => {
  const { door } = learning;
  const { keys, names, ids } = await learned(learning, 6);
  for (const name of names) {
    await door.gateway.replace(name, { ...door.gateway.session(name), expires: 1 });
  }
  await minute(learning, keys);
  assert.equal((await said(learning)).awaiting, 6);
  for (const name of names.slice(0, 3)) {
    await door.gateway.replace(name, { ...door.gateway.session(name), expires: 0 });
  }
  assert.equal(await confirm(learning, 6), 200);
  await minute(learning, []);
  assert.deepEqual(await states(learning, ids.slice(0, 3)), new Set(["active"]));
  assert.deepEqual(await states(learning, ids.slice(3)), new Set(["suspended"]));
});

onClock("an access token can't say the yes", async (learning) => {
  const { desk, id } = learning;
  await learned(learning, 1);
  const response = await desk.send("POST", `/v1/gateways/${id}/lazy-migration/confirm`, {
    body: { awaiting: 1 },
  });
  assert.equal(response.status, 403);
  await response.body?.cancel();
});
