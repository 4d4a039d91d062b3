/** When counts go: with their developer, and with their age. */
import assert from "node:assert/strict";
import { UsageCounter } from "../../../../src/features/verification/usage/usage-counter.ts";
import { findErasure } from "../../../../src/features/verification/usage/usage.store.ts";
import { PurgeTime } from "../../../../src/maintenance/retention/purge-time.ts";
import { startPurger } from "../../../../src/maintenance/retention/purger.ts";
import { pathTo } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { eventually } from "../../../support/eventually.ts";
import { call, issue, movableClock } from "../../../support/keys.ts";
import { countsOf, storedUsage, written } from "../../../support/usage.ts";
import { outcome, planWith, valid, withSecond } from "../../../support/verification.ts";

const clock = movableClock();
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

async function remove(desk: TestDesk, id: string, keys = "revoke"): Promise<void> {
  await call(desk, "DELETE", `${pathTo("/v1/developers", id)}?keys=${keys}`);
}

/**
 * Without a rest, and by a clock that soon has measured whatever the store's clock was moved by.
 */
const quick = () => ({ restMs: 5, time: new PurgeTime(() => performance.now() * 1e9) });

/** Two nodes that purge until it is done. */
async function purged(desk: TestDesk, isDone: () => Promise<boolean>): Promise<void> {
  const { storage, problems } = desk.app.ctx;
  const kept = {
    audit_events: 0,
    outbox_events: 0,
    deliveries: 0,
    claims: 0,
    usage_hours: 35,
    usage_days: 400,
  };
  const nodes = [1, 2].map(() => startPurger({ storage, clock, problems }, kept, quick()));
  await eventually("the purger", isDone);
  for (const node of nodes) node.stop();
}

const noErasures = (desk: TestDesk) => async () =>
  await findErasure(desk.app.ctx.storage.reader) === undefined;

async function usedKeys(desk: TestDesk) {
  // Years ago, whatever is added to it: PostgreSQL's own clock has a say in what is purged.
  clock.at = Date.parse("2024-03-01T12:00:00Z");
  const plan = await planWith(desk, {}, ["weather"]);
  const keys = [
    await issue(desk, [plan], "dev-ada"),
    await issue(desk, [plan], "dev-ada"),
    await issue(desk, [plan], "dev-bob"),
  ] as const;
  for (const { RawKey } of keys) await valid(desk, { key: RawKey, api_id: "weather" });
  await written(desk);
  return { plan, keys };
}

testOnEngines("usage: a deleted developer's counts go along, nobody else's do", async (desk) => {
  const { plan, keys: [one, two, other] } = await usedKeys(desk);
  await remove(desk, "dev-ada");
  for (const query of [`key=${one.key_id}`, `key=${two.key_id}`, "developer=dev-ada"]) {
    assert.deepEqual(await countsOf(desk, query), [0, 0, 0], query);
  }
  await purged(desk, noErasures(desk));
  const { hours, days } = await storedUsage(desk);
  for (const word of ["dev-ada", one.key_id, two.key_id]) {
    assert.ok(!JSON.stringify([hours, days]).includes(word), word);
  }
  for (const query of [`key=${other.key_id}`, "developer=dev-bob"]) {
    assert.deepEqual(await countsOf(desk, query), [1, 1, 0], query);
  }
  // How often a plan and an API were used says nothing of anybody.
  for (const query of [`plan=${plan}`, "api=weather", ""]) {
    assert.deepEqual(await countsOf(desk, query), [3, 3, 0], query);
  }
}, { clock });

testOnEngines(
  "usage: what another node had counted of a deleted developer does not come back",
  async (desk) => {
    const { plan, keys: [one, , other] } = await usedKeys(desk);
    const counter = new UsageCounter(desk.app.ctx.storage);
    for (const [{ key_id }, developer_id] of [[one, "dev-ada"], [other, "dev-bob"]] as const) {
      const key = { org_id: desk.org_id, key_id, facts: { developer_id } };
      const seen = { status: 200, plan_id: plan, api_id: undefined, isNamedByPlan: true } as const;
      counter.count(key, seen, clock.at);
    }
    await remove(desk, "dev-ada");
    await counter.flush();
    await purged(desk, noErasures(desk));
    assert.ok(!JSON.stringify(await storedUsage(desk)).includes("dev-ada"));
    assert.deepEqual(await countsOf(desk, `key=${one.key_id}`), [0, 0, 0]);
    assert.deepEqual(await countsOf(desk, `key=${other.key_id}`), [2, 2, 0]);
    assert.deepEqual(await countsOf(desk, `plan=${plan}`), [5, 5, 0]);
  },
  { clock },
);

testOnEngines(
  "usage: a key that outlives its developer goes on by itself, from nought",
  async (desk) => {
    const { keys: [one] } = await usedKeys(desk);
    await remove(desk, "dev-ada", "keep");
    assert.deepEqual(await countsOf(desk, `key=${one.key_id}`), [0, 0, 0]);
    await purged(desk, noErasures(desk));
    await valid(desk, one.RawKey);
    await written(desk);
    assert.deepEqual(await countsOf(desk, `key=${one.key_id}`), [1, 1, 0]);
    assert.deepEqual(await countsOf(desk, "developer=dev-ada"), [0, 0, 0]);
  },
  { clock },
);

testOnEngines("usage: a revoked key's counts stay until they are too old", async (desk) => {
  const { plan, keys: [one] } = await usedKeys(desk);
  await call(desk, "POST", `/v1/keys/${one.key_id}/revoke`, { reason: "lost" });
  await withSecond(desk, async (second) => {
    assert.equal(await outcome(second, one.RawKey), "revoked");
    await written(second);
  }, clock);
  assert.deepEqual(await countsOf(desk, `key=${one.key_id}`), [2, 1, 1]);
  assert.deepEqual(await countsOf(desk, `plan=${plan}`), [3, 3, 0]);
  assert.deepEqual(await countsOf(desk, "developer=dev-ada"), [3, 2, 1]);
}, { clock });

testOnEngines(
  "usage: hours go after their days and days after theirs, whole, on several nodes at once",
  async (desk) => {
    const { keys: [one] } = await usedKeys(desk);
    const first = clock.at;
    const count = async () => {
      const { hours, days } = await storedUsage(desk);
      return [hours.length, days.length];
    };
    for (let day = 0; day < 40; day++) {
      clock.at = first + day * DAY;
      await valid(desk, one.RawKey);
    }
    await written(desk);
    const [hours = 0, days = 0] = await count();
    assert.ok(hours > 160 && days === hours);
    await purged(desk, async () => (await count())[0]! < hours);
    await purged(
      desk,
      async () =>
        (await storedUsage(desk)).hours.every(({ begins }) =>
          begins >= (first + 4 * DAY - 12 * 3_600_000) / 3_600_000
        ),
    );
    assert.equal((await count())[1], days);
    assert.equal((await countsOf(desk, `key=${one.key_id}&from=2024-03-01`))[0], 41);
    const byHour = `key=${one.key_id}&by=hour&from=2024-03-06&to=2024-04-09`;
    assert.equal((await countsOf(desk, byHour))[0], 35);
    clock.at = first + 401 * DAY;
    await purged(desk, async () => (await count())[0] === 0 && (await count())[1]! < days);
    assert.equal((await countsOf(desk, `key=${one.key_id}&from=2024-03-02&to=2024-04-09`))[0], 39);
    assert.equal((await countsOf(desk, `key=${one.key_id}&from=2024-03-01&to=2024-04-01`))[0], 31);
  },
  { clock },
);

testOnEngines(
  "usage: however much is counted of a developer, their deletion is short, and the rest goes in batches",
  async (desk) => {
    const { keys: [one] } = await usedKeys(desk);
    const first = clock.at;
    const counter = new UsageCounter(desk.app.ctx.storage);
    const key = { org_id: desk.org_id, key_id: one.key_id, facts: { developer_id: "dev-ada" } };
    const call = { status: 200, plan_id: "", api_id: undefined, isNamedByPlan: true } as const;
    for (let hour = 0; hour < 30 * 24; hour++) counter.count(key, call, first + hour * HOUR);
    await counter.flush();
    const ofKey = async () => {
      const { hours } = await storedUsage(desk);
      return hours.filter(({ kind, object_id }) => kind === "key" && object_id === one.key_id)
        .length;
    };
    const before = await ofKey();
    assert.ok(before > 700);
    await remove(desk, "dev-ada");
    assert.equal(await ofKey(), before);
    assert.deepEqual(await countsOf(desk, `key=${one.key_id}&to=2024-03-20`), [0, 0, 0]);
    await purged(desk, noErasures(desk));
    assert.equal(await ofKey(), 0);
  },
  { clock },
);
