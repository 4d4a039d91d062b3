/** What was learned ends here when it ended where it came from. */
import assert from "node:assert/strict";
import { legacyKey } from "../../../../examples/moving/keys.ts";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { movableClock, readKey } from "../../../support/keys.ts";
import {
  anewOf,
  comesTo,
  keep,
  learn,
  type Learning,
  questionsOf,
  testLearning,
  textOf,
} from "../../../support/learning.ts";
import { call } from "../../../support/people.ts";
import { outcome } from "../../../support/verification.ts";

const clock = movableClock();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Learned keys, with their names there. */
async function learned(learning: Learning, n: number) {
  const { desk, door } = learning;
  const keys = Array.from({ length: n }, (_, one) => legacyKey(desk.org_id, textOf(one)));
  const names = await Promise.all(keys.map((key) => keep(door, key)));
  await learn(learning, {
    ends_at: new Date(clock.at + 300 * DAY_MS).toISOString(),
    questions_per_second: 1000,
  });
  for (const key of keys) assert.equal(await outcome(desk, key), "valid");
  const used = async (key: string) => {
    const said = await outcome(desk, key);
    await desk.app.ctx.verifier.writeUses();
    return said;
  };
  return { keys, names, used, ids: keys.map(sha256) };
}

/** Turns until nothing is due. */
async function askAnew(learning: Learning): Promise<void> {
  const engine = anewOf(learning);
  for (let turns = 0; await engine.turn(); turns++) assert.ok(turns < 100);
  await engine.giveBack();
}

const onClock = (promise: string, test: (learning: Learning) => Promise<void>) =>
  testLearning(`learning: ${promise}`, test, { clock });

onClock("a key in use is asked about once a minute, and another one daily", async (learning) => {
  const { keys: [first = ""], names: [name = "", other = ""], used } = await learned(learning, 2);
  const { door } = learning;
  let since = door.calls.length;
  clock.at += 30_000;
  await used(first);
  await askAnew(learning);
  assert.equal(questionsOf(learning, since).size, 0, "not so soon");
  clock.at += MINUTE_MS;
  await used(first);
  await askAnew(learning);
  await askAnew(learning);
  assert.deepEqual([...questionsOf(learning, since)], [[name, 1]]);
  clock.at += 2 * MINUTE_MS;
  await askAnew(learning);
  assert.equal(questionsOf(learning, since).get(name), 1, "nobody has used it since");
  since = door.calls.length;
  clock.at += DAY_MS;
  const waiting = async () =>
    (await call(learning.desk, "GET", `/v1/gateways/${learning.id}/lazy-migration`)).waiting;
  assert.equal(await waiting(), 2);
  await askAnew(learning);
  assert.equal(await waiting(), 0);
  assert.deepEqual(questionsOf(learning, since), new Map([[name, 1], [other, 1]]));
});

onClock("what ended there ends here, and can be brought back", async (learning) => {
  const { desk, door } = learning;
  const { keys, names, ids, used } = await learned(learning, 4);
  const [gone = "", suspended = "", over = "", open = ""] = names;
  door.gateway.revoke(gone);
  await door.gateway.replace(suspended, { ...door.gateway.session(suspended), expires: 1 });
  const end = Math.floor(clock.at / 1000) + 60;
  await door.gateway.replace(over, { ...door.gateway.session(over), expires: end });
  clock.at += 2 * MINUTE_MS;
  for (const key of keys) assert.equal(await used(key), "valid", "until it is asked about");
  await askAnew(learning);
  const read = await Promise.all(ids.map((id) => readKey(desk, id)));
  assert.deepEqual(read.map(({ state }) => state), ["revoked", "suspended", "expired", "active"]);
  assert.equal(read[0]?.reason, "It was ended at the gateway City.");
  assert.equal(read[1]?.reason, "It was suspended at the gateway City.");
  assert.equal(read[2]?.expires_at, new Date(end * 1000).toISOString());
  await comesTo(() => outcome(desk, keys[0] ?? ""), "revoked");
  await comesTo(() => outcome(desk, keys[1] ?? ""), "suspended");
  await comesTo(() => outcome(desk, keys[2] ?? ""), "expired");
  await call(desk, "POST", `/v1/keys/${ids[0]}/restore`, { reason: "a mistake" });
  // And what ended there by itself is not opened there again.
  await learning.provision();
  assert.equal(door.gateway.session(over)?.expires, end);
  assert.equal(door.gateway.session(open)?.expires, 0);
});

onClock("nothing is concluded while its Redis is away, or empty", async (learning) => {
  const { desk, door } = learning;
  const { keys: [key = ""], ids: [key_id = ""], used } = await learned(learning, 1);
  clock.at += 2 * MINUTE_MS;
  await used(key);
  door.gateway.redisIsAway = true;
  await askAnew(learning);
  assert.equal((await readKey(desk, key_id)).state, "active");
  door.gateway.redisIsAway = false;
  door.gateway.loseRecords();
  await askAnew(learning);
  assert.equal((await readKey(desk, key_id)).state, "active");
});

onClock(
  "what a person resumed here is not suspended by what still stands there",
  async (learning) => {
    const { desk, door, provision } = learning;
    const { keys: [key = ""], ids: [key_id = ""], names: [name = ""], used } = await learned(
      learning,
      1,
    );
    await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "for now" });
    await provision();
    assert.equal(door.gateway.session(name)?.expires, 1);
    clock.at += 2 * MINUTE_MS;
    await call(desk, "POST", `/v1/keys/${key_id}/resume`, { reason: "again" });
    await comesTo(() => used(key), "valid");
    await askAnew(learning);
    assert.equal((await readKey(desk, key_id)).state, "active");
    await provision();
    await askAnew(learning);
    assert.equal((await readKey(desk, key_id)).state, "active");
  },
);

onClock("two nodes ask about one key once", async (learning) => {
  const { door } = learning;
  const { keys, used } = await learned(learning, 10);
  clock.at += 2 * MINUTE_MS;
  for (const key of keys) await used(key);
  const since = door.calls.length;
  const nodes = [anewOf(learning), anewOf(learning)];
  for (let n = 0; n < 3; n++) await Promise.all(nodes.map((node) => node.turn()));
  assert.deepEqual([...questionsOf(learning, since).values()], keys.map(() => 1));
  for (const node of nodes) await node.giveBack();
});

onClock("nothing is asked once learning is off", async (learning) => {
  const { desk, door, id } = learning;
  const { keys: [key = ""], names: [name = ""], ids: [key_id = ""], used } = await learned(
    learning,
    1,
  );
  door.gateway.revoke(name);
  clock.at += 2 * MINUTE_MS;
  await used(key);
  await call(desk, "DELETE", `/v1/gateways/${id}/lazy-migration`);
  const since = door.calls.length;
  await askAnew(learning);
  assert.equal(questionsOf(learning, since).size, 0);
  assert.equal((await readKey(desk, key_id)).state, "active");
});
