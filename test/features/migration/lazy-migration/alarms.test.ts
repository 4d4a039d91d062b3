/** A name that stands for another key, or for one that was ended here, teaches nothing. */
import assert from "node:assert/strict";
import { legacyKey } from "../../../../examples/moving/keys.ts";
import { murmurIdsOf } from "../../../../src/features/keys/murmur.ts";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { importKeys, issue, tracesOf } from "../../../support/keys.ts";
import {
  comesTo,
  keep,
  learn,
  type Learning,
  questionsOf,
  testLearning,
  textOf,
} from "../../../support/learning.ts";
import { call } from "../../../support/people.ts";
import { ask, outcome } from "../../../support/verification.ts";

/** Two texts whose murmur32 is the same. */
const [FIRST, SECOND] = ["text number 00047965", "text number 00197250"];

/** What people were told of the gateway: why, of which key and name. */
async function alarmsOf({ desk, id }: Learning) {
  const { audit, topics } = await tracesOf(desk, id);
  const told = audit.filter(([action]) => action === "gateway.key_not_migrated");
  assert.equal(topics.filter((one) => one === "gateway.key_not_migrated").length, told.length);
  return told.map(([, detail]) => ({ why: "", key_id: "", remote_id: "", ...Object(detail) }));
}

testLearning(
  "learning: of two texts with one hash the first alone is learned",
  async (learning) => {
    const { desk, door } = learning;
    const remote_id = await keep(door, FIRST);
    assert.deepEqual([await door.open(FIRST), await door.open(SECOND)], [200, 200]);
    await learn(learning);
    assert.equal(await outcome(desk, FIRST), "valid");
    const since = door.calls.length;
    assert.equal(await outcome(desk, SECOND), "unknown");
    assert.equal(await outcome(desk, SECOND), "unknown");
    assert.equal(await outcome(desk, FIRST), "valid");
    assert.deepEqual(await alarmsOf(learning), [{
      why: "taken",
      key_id: sha256(FIRST),
      remote_id,
    }]);
    assert.equal(questionsOf(learning, since).get(remote_id), undefined, "it could tell nothing");
    // The meter and the gateway say the same of it.
    const own = await call(desk, "GET", `/v1/gateways/${learning.id}/lazy-migration`);
    assert.deepEqual([own.migrated, own.waiting, own.alarms], [1, 0, 1]);
    const { keys, lazy_migrations: taught } = await call(desk, "GET", "/v1/migration");
    const { name: gateway_name } = await call(desk, "GET", `/v1/gateways/${learning.id}`);
    const { started_by: _, questions_per_second: __, ...same } = own;
    assert.deepEqual([taught, keys.migrated], [[{ ...same, gateway_name }], 1]);
  },
);

testLearning("learning: two texts with one hash at once: one is learned", async (learning) => {
  const { desk, door } = learning;
  await keep(door, FIRST);
  await learn(learning, { questions_per_second: 1000 });
  const said = await Promise.all([FIRST, SECOND].map((text) => outcome(desk, text)));
  assert.deepEqual(said.toSorted(), ["unknown", "valid"]);
  assert.equal((await alarmsOf(learning)).length, 1);
});

testLearning(
  "learning: a name whose key is revoked or suspended here teaches nothing",
  async (learning) => {
    const { desk, door } = learning;
    const remote_id = await keep(door, FIRST);
    await learn(learning);
    for (const [action, state] of [["suspend", "suspended"], ["revoke", "revoked"]]) {
      assert.equal(await outcome(desk, FIRST), action === "suspend" ? "valid" : "suspended");
      await call(desk, "POST", `/v1/keys/${sha256(FIRST)}/${action}`, { reason: "gone" });
      await comesTo(() => outcome(desk, FIRST), state ?? "");
    }
    assert.equal(await outcome(desk, SECOND), "unknown");
    assert.deepEqual((await alarmsOf(learning)).map(({ remote_id: name }) => name), [remote_id]);
    assert.equal(door.gateway.session(remote_id)?.alias, "", "and nothing was brought there");
  },
);

testLearning(
  "learning: what was imported by its hash, and ended before anybody used it, stays so",
  async (learning) => {
    const { desk, door } = learning;
    const key = "imported-key-of-old";
    const [, hash = ""] = await murmurIdsOf(key);
    door.gateway.records.set(`apikey-${hash}`, door.gateway.newSession("dev-ada", ["plan-free"]));
    const line = { developer: "dev-ada", plans: ["plan-free"], kind: "token", hash };
    const murmurUntil = "2999-01-01T00:00:00Z";
    await importKeys(desk, [{ ...line, algorithm: "murmur64" }], { murmurUntil });
    await call(desk, "POST", `/v1/keys/${hash}/suspend`, { reason: "for now" });
    await learn(learning);
    assert.equal(await outcome(desk, key), "unknown");
  },
  { hashing: "murmur64" },
);

testLearning(
  "learning: a session that was made for a key of ours is no other key's",
  async (learning) => {
    const { desk, door, provision } = learning;
    const { RawKey, key_id } = await issue(desk, ["plan-free"]);
    await provision();
    // As if another text had the name: its session says for whom it was made.
    const other = legacyKey(desk.org_id, textOf(1));
    await keep(door, other, { ...door.gateway.session(key_id) });
    await learn(learning);
    assert.equal(await outcome(desk, other), "unknown");
    assert.deepEqual((await alarmsOf(learning)).map(({ why, key_id: of }) => [why, of]), [[
      "taken",
      key_id,
    ]]);
    assert.equal(await outcome(desk, RawKey), "valid");
  },
  { hashing: "sha256" },
);

testLearning(
  "learning: who was deactivated or deleted here comes back by no key",
  async (learning) => {
    const { desk, door } = learning;
    for (const id of ["dev-ada", "dev-bob"]) {
      await issue(desk, ["plan-free"], id);
      await keep(door, `key of ${id}, which is long enough`, {
        meta_data: { tyk_developer_id: id },
      });
    }
    await call(desk, "POST", "/v1/developers/dev-ada/deactivate", { keys: "suspend" });
    await call(desk, "DELETE", "/v1/developers/dev-bob?keys=revoke");
    await learn(learning);
    for (const id of ["dev-ada", "dev-bob"]) {
      assert.equal(await outcome(desk, `key of ${id}, which is long enough`), "unknown", id);
    }
    const whys = (await alarmsOf(learning)).map(({ why }) => why);
    assert.deepEqual(whys, ["developer_gone", "developer_gone"]);
  },
);

testLearning("learning: a gateway that hashes nothing can't be believed", async ({ desk, id }) => {
  const body = { ends_at: "2999-01-01T00:00:00Z" };
  const sent = await desk.send("PUT", `/v1/gateways/${id}/lazy-migration`, { body });
  assert.deepEqual([sent.status, sent.headers.get("x-keydesk-error")], [400, "invalid_input"]);
  const soon = { ends_at: new Date(Date.now() + 60_000).toISOString() };
  const refused = await desk.send("PUT", `/v1/gateways/${id}/lazy-migration`, { body: soon });
  assert.match((await refused.json()).detail, /does not hash its keys/);
  const asked = await ask(desk, { key: "anything at all" });
  assert.equal((await asked.json()).reason, "unknown");
}, { hashing: "none" });
