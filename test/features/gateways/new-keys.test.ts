/** Keys that were issued a moment ago: their gateways' rows are added behind the answer. */
import assert from "node:assert/strict";
import { putSecret, TAKEN_IN } from "../../../src/features/gateways/new-keys.store.ts";
import { takeIn } from "../../../src/features/gateways/new-keys.transactions.ts";
import {
  findSecret,
  provisionedOfKey,
} from "../../../src/features/gateways/provisioned-keys.store.ts";
import { settleKey } from "../../../src/features/gateways/settle-key.transactions.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { type StandIn, standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";

const free = ["plan-free"];
const clock = movableClock();

/** Leaves what an earlier key of this id was to be made by. */
const leaveSecret = defineTransaction(
  "test.leave-secret",
  async (tx, place: { org_id: string; key_id: string }) => {
    await putSecret(tx, { ...place, secret: "left", expires_at: "2026-01-01T00:00:00.000Z" });
    return null;
  },
);

/** A desk whose plans a gateway has; `later`: whom its engine knows, but no gateway yet. */
async function withGateway(desk: TestDesk, door: StandIn, ...later: StandIn[]) {
  await plansOf(desk);
  const id = await addGateway(desk, door);
  const engine = engineOf(desk, door, ...later);
  await provision(engine);
  return { id, engine };
}

function rowsOf({ app, org_id }: TestDesk, key_id: string) {
  return provisionedOfKey(app.ctx.storage.reader, { org_id, key_id });
}

testOnEngines(
  "new keys: an approval writes no row of a gateway, and its key waits there all the same",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { id } = await withGateway(desk, door);
    const { key_id } = await issue(desk, free);
    assert.deepEqual(await rowsOf(desk, key_id), []);
    const { data } = await call(desk, "GET", `/v1/keys/${key_id}/gateways`);
    assert.equal(data.length, 1);
    const counted = async () => {
      const { counts, waits_since } = await call(desk, "GET", `/v1/gateways/${id}`);
      return [counts.waiting, waits_since];
    };
    assert.deepEqual(await counted(), [1, data[0].since]);
    await desk.app.ctx.storage.commit(takeIn, null);
    const { data: taken } = await call(desk, "GET", `/v1/keys/${key_id}/gateways`);
    assert.deepEqual(data, taken);
    assert.deepEqual(await counted(), [1, data[0].since]);
  },
);

testOnEngines("new keys: whatever number of nodes take them in, each is once", async (desk) => {
  await using door = standIn(desk.org_id);
  await withGateway(desk, door);
  const issued = [];
  for (let n = 0; n < 5; n++) issued.push(await issue(desk, free));
  const { storage } = desk.app.ctx;
  const counts = await Promise.all([1, 2, 3].map(() => storage.commit(takeIn, null)));
  assert.ok(counts.every((n) => n < TAKEN_IN));
  assert.equal(counts.reduce((a, b) => a + b), 5);
  for (const { key_id } of issued) {
    const rows = await rowsOf(desk, key_id);
    assert.deepEqual(rows.map(({ wanted, state }) => [Number(wanted), state]), [[1, "waiting"]]);
  }
});

testOnEngines(
  "new keys: one that is revoked before it was taken in opens nowhere",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { engine } = await withGateway(desk, door);
    const { key_id, RawKey } = await issue(desk, free);
    await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "gone" });
    await provision(engine);
    assert.notEqual(await door.open(RawKey), 200);
    assert.equal((await keyThere(desk, key_id))[0], "closing");
  },
);

testOnEngines(
  "new keys: a gateway that is added before they were taken in has them too",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await using other = standIn(desk.org_id);
    const { engine } = await withGateway(desk, door, other);
    const { RawKey } = await issue(desk, free);
    await addGateway(desk, other, { name: "Port" });
    await provision(engine);
    assert.deepEqual([await door.open(RawKey), await other.open(RawKey)], [200, 200]);
  },
);

testOnEngines(
  "new keys: one that nobody took in while its secret was kept is told of as stuck",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { engine } = await withGateway(desk, door);
    const { key_id } = await issue(desk, free);
    clock.at += 8 * 24 * 60 * 60 * 1000;
    await provision(engine);
    assert.deepEqual(await keyThere(desk, key_id), ["stuck", "secret_gone"]);
  },
  { clock },
);

testOnEngines(
  "new keys: what was left of an earlier one of its id holds up nobody's",
  async (desk) => {
    await using door = standIn(desk.org_id);
    const { engine } = await withGateway(desk, door);
    const keys = [await issue(desk, free), await issue(desk, free)];
    const { org_id, app: { ctx: { storage } } } = desk;
    await storage.commit(leaveSecret, { org_id, key_id: keys[0]?.key_id ?? "" });
    await provision(engine);
    for (const { RawKey } of keys) assert.equal(await door.open(RawKey), 200);
  },
  { extra: [leaveSecret] },
);

testOnEngines(
  "new keys: what makes one is forgotten though its gateways have it at the same moment",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const gateways = [
      await addGateway(desk, door),
      await addGateway(desk, door, { name: "Port" }),
    ];
    const { storage, clock } = desk.app.ctx;
    const { org_id } = desk;
    const keys = [];
    for (let n = 0; n < 20; n++) keys.push((await issue(desk, free)).key_id);
    await storage.commit(takeIn, null);
    for (const key_id of keys) {
      assert.equal(typeof await findSecret(storage.reader, { org_id, key_id }), "string");
      await Promise.all(gateways.map((gateway_id) =>
        storage.commit(settleKey, {
          org_id,
          gateway_id,
          key_id,
          seen: 1,
          state: "delivered",
          reason: "",
          againMs: null,
          remote_id: key_id,
          held: "",
          isClosed: false,
          failed: false,
          isUrgent: false,
          now: clock.now(),
        })
      ));
      assert.equal(await findSecret(storage.reader, { org_id, key_id }), undefined);
    }
  },
);
