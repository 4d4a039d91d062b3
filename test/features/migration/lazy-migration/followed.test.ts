/** What happens to a learned key at its gateway comes over, until its plans are switched over. */
import assert from "node:assert/strict";
import { legacyKey } from "../../../../examples/moving/keys.ts";
import type { Members } from "../../../../examples/moving/gateway.ts";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { movableClock, readKey, storedDeveloper } from "../../../support/keys.ts";
import {
  anewOf,
  comesTo,
  keep,
  learn,
  type Learning,
  testLearning,
  textOf,
} from "../../../support/learning.ts";
import { call } from "../../../support/people.ts";
import { outcome } from "../../../support/verification.ts";

const clock = movableClock();
// Of an end that is over the stand-in makes none, by the machine's clock.
clock.at = Date.now();
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const onClock = (promise: string, test: (learning: Learning) => Promise<void>) =>
  testLearning(`learning: ${promise}`, test, { clock });

/** Keys that were learned, and what is done with them. */
class Followed {
  readonly keys: string[] = [];
  readonly names: string[] = [];
  readonly ids: string[] = [];

  constructor(readonly learning: Learning) {}

  static async of(learning: Learning, n: number, plans = ["plan-free"], more: Members = {}) {
    const followed = new Followed(learning);
    const { desk, door } = learning;
    await learn(learning, {
      ends_at: new Date(clock.at + 300 * DAY_MS).toISOString(),
      questions_per_second: 1000,
    });
    for (let at = 0; at < n; at++) {
      const key = legacyKey(desk.org_id, textOf(at));
      followed.keys.push(key);
      followed.ids.push(sha256(key));
      followed.names.push(await keep(door, key, more, plans));
      assert.equal(await outcome(desk, key), "valid");
    }
    return followed;
  }

  /** Changes a session there by the gateway's own interface. */
  async write(n: number, change: Members): Promise<void> {
    const { gateway } = this.learning.door;
    const before = gateway.session(this.names[n] ?? "") ?? {};
    const last_updated = String(Math.floor(clock.at / 1000));
    await gateway.replace(this.names[n] ?? "", { ...before, last_updated, ...change });
  }

  /** Each key is used, a minute goes by, and the gateway is asked. */
  async minute(used: readonly string[] = this.keys): Promise<void> {
    const { desk } = this.learning;
    clock.at += 20_000;
    for (const key of used) await outcome(desk, key);
    await desk.app.ctx.verifier.writeUses();
    clock.at += 30_000;
    const engine = anewOf(this.learning);
    for (let turns = 0; await engine.turn(); turns++) assert.ok(turns < 100);
    await engine.giveBack();
  }

  async read(n: number) {
    return await readKey(this.learning.desk, this.ids[n] ?? "");
  }

  async reports(action = "gateway.key_not_followed"): Promise<Record<string, unknown>[]> {
    const { data } = await call(this.learning.desk, "GET", `/v1/audit-log?action=${action}`);
    return data.map(({ detail }: { detail: Record<string, unknown> }) => detail);
  }
}

onClock("plans and ends that change there come over, and ours stay", async (learning) => {
  const { desk, provision } = learning;
  const followed = await Followed.of(learning, 4);
  const end = Math.floor(clock.at / 1000) + 7 * 24 * 3600;
  await followed.write(0, { apply_policies: ["plan-quota"] });
  await followed.write(1, { expires: end });
  await followed.write(2, { apply_policies: ["plan-free", "plan-quota"], expires: end });
  await call(desk, "PUT", `/v1/keys/${followed.ids[3]}/plans`, { plans: ["plan-quota"] });
  await provision();
  await followed.minute();
  const expires_at = new Date(end * 1000).toISOString();
  const read = await Promise.all([0, 1, 2, 3].map((n) => followed.read(n)));
  assert.deepEqual(read.map((key) => [key.plans, key.expires_at]), [
    [["plan-quota"], null],
    [["plan-free"], expires_at],
    [["plan-free", "plan-quota"], expires_at],
    [["plan-quota"], null],
  ]);
  const maps = await storedDeveloper(desk);
  assert.deepEqual(maps.keys[followed.ids[0] ?? ""], ["plan-quota"]);
  const { data } = await call(
    desk,
    "GET",
    `/v1/audit-log?object_id=${followed.ids[0]}&action=key.plans_changed`,
  );
  assert.equal(data[0].actor, "learning");
  // A later end, and none, come over as well; so does one plan less.
  await provision();
  await followed.write(1, { expires: 0 });
  await followed.write(2, { apply_policies: ["plan-quota"], expires: end + 60 });
  await followed.minute();
  assert.equal((await followed.read(1)).expires_at, null);
  const last = await followed.read(2);
  assert.deepEqual(last.plans, ["plan-quota"]);
  assert.equal(last.expires_at, new Date((end + 60) * 1000).toISOString());
  assert.deepEqual(await followed.reports(), []);
});

onClock("what is suspended there and resumed is resumed here", async (learning) => {
  const { desk, provision } = learning;
  const followed = await Followed.of(learning, 2);
  const [first = "", second = ""] = followed.ids;
  await followed.write(0, { expires: 1 });
  await followed.minute();
  assert.equal((await followed.read(0)).state, "suspended");
  await provision();
  await call(desk, "POST", `/v1/keys/${second}/suspend`, { reason: "here" });
  await provision();
  clock.at += MINUTE_MS;
  await followed.write(0, { expires: 0 });
  await followed.write(1, { expires: 0 });
  await followed.minute();
  assert.equal((await followed.read(0)).state, "active");
  clock.at += DAY_MS;
  await followed.minute([]);
  const kept = await followed.read(1);
  assert.deepEqual([kept.state, kept.reason], ["suspended", "here"]);
  assert.deepEqual((await followed.reports()).map(({ why, key_id }) => [why, key_id]), [
    ["suspended_here", second],
  ]);
  await provision();
  const { gateway } = learning.door;
  assert.equal(gateway.session(followed.names[1] ?? "")?.expires, 1, "it is closed there again");
  assert.equal(gateway.session(followed.names[0] ?? "")?.expires, 0);
  assert.equal((await readKey(desk, first)).reason, "It was resumed at the gateway City.");
});

onClock("what was revoked here stays so, and what ended here too", async (learning) => {
  const { desk, door, provision } = learning;
  const followed = await Followed.of(learning, 2);
  await call(desk, "POST", `/v1/keys/${followed.ids[0]}/revoke`, { reason: "here" });
  const end = new Date(clock.at + 1000).toISOString();
  await call(desk, "PUT", `/v1/keys/${followed.ids[1]}/expiry`, { expires_at: end });
  await provision();
  clock.at += 2 * MINUTE_MS;
  await keep(door, followed.keys[0] ?? "");
  await followed.write(1, { expires: 0 });
  clock.at += DAY_MS;
  await followed.minute([]);
  assert.equal((await followed.read(0)).state, "revoked");
  assert.equal((await followed.read(1)).state, "expired");
  assert.deepEqual((await followed.reports()).map(({ why }) => why), ["ended_here"]);
});

onClock("of what can't be so here people are told once", async (learning) => {
  const followed = await Followed.of(learning, 3);
  const { gateway } = learning.door;
  gateway.plans.push({ ...gateway.plans[0], _id: "plan-unknown", id: "plan-unknown" } as never);
  await followed.write(0, { apply_policies: ["plan-unknown"] });
  await followed.write(1, { apply_policies: [], access_rights: { weather: {} } });
  await followed.write(2, { hmac_enabled: true, hmac_string: "s" });
  await followed.minute();
  await followed.minute();
  const told = (await followed.reports()).map(({ why, about }) => [why, about]);
  assert.deepEqual(told.sort(), [
    ["bound", undefined],
    ["no_plans", undefined],
    ["unknown_plans", ["plan-unknown"]],
  ]);
  for (const n of [0, 1, 2]) assert.deepEqual((await followed.read(n)).plans, ["plan-free"]);
  const { not_followed } = await call(
    learning.desk,
    "GET",
    `/v1/gateways/${learning.id}/lazy-migration`,
  );
  assert.equal(not_followed, 3);
});

onClock("what is edited there without effect is reported as such", async (learning) => {
  const { provision } = learning;
  const followed = await Followed.of(learning, 4);
  for (const n of [0, 1, 2, 3]) await followed.write(n, {});
  await followed.minute();
  const before = (await followed.reports()).length;
  await followed.write(0, { is_inactive: true });
  await followed.write(1, { rate: 1, per: 1 });
  await followed.write(2, { alias: "another name" });
  await followed.minute();
  await followed.minute();
  const told = (await followed.reports()).slice(0, -before || undefined);
  assert.deepEqual(
    told.map(({ why, key_id }) => [why, key_id]).sort(),
    [0, 1].map((n) => ["no_effect", followed.ids[n]]).sort(),
  );
  for (const key of followed.keys) assert.equal(await outcome(learning.desk, key), "valid");
  // What this desk brings there is no edit of somebody's.
  await call(learning.desk, "PUT", `/v1/keys/${followed.ids[3]}/plans`, { plans: ["plan-quota"] });
  await provision();
  await followed.minute();
  await followed.minute();
  assert.equal((await followed.reports()).length, before + 2);
});

const MOST = 100;

onClock("a quota goes over with what is left, and is followed in use", async (learning) => {
  const { desk, door, provision } = learning;
  const plan = { quota_max: MOST, quota_renewal_rate: 3600, active: true };
  const named = { id: "plan-counted", name: "plan-counted", auth_type: "authToken" };
  await call(desk, "POST", "/api/portal/policies", { ...plan, ...named });
  await provision();
  const [first] = door.gateway.plans;
  assert.ok(first);
  door.gateway.plans.push({ ...first, ...plan, _id: named.id, id: named.id });
  const seconds = Math.floor(clock.at / 1000);
  const running = { quota_max: MOST, quota_renewal_rate: 3600, quota_renews: seconds + 3000 };
  const count = async (n: number, used: number) => {
    const name = await door.gateway.nameOf(legacyKey(desk.org_id, textOf(n)));
    door.gateway.records.set(`quota-${name}`, String(used));
  };
  await count(0, 90);
  await count(1, MOST - 1);
  const followed = await Followed.of(learning, 2, [named.id], running);
  const [one = "", other = ""] = followed.keys;
  // The call by which each was learned has taken one.
  assert.equal((await left(learning, one)).remaining, 8);
  assert.deepEqual(await left(learning, one), { limit: MOST, remaining: 7, reset: 3000 });
  assert.equal(await outcome(desk, other), "over_quota");
  // Calls there go on being counted there, and what is counted here is not forgotten.
  await count(0, MOST - 1);
  await followed.minute([one]);
  assert.equal(await outcome(desk, one), "valid");
  assert.equal(await outcome(desk, one), "over_quota");
  await count(0, 10);
  await followed.minute([one]);
  assert.equal(await outcome(desk, one), "over_quota");
  // Another period there is another one here.
  clock.at += 3000_000;
  await count(0, 40);
  await followed.write(0, { ...running, quota_renews: Math.floor(clock.at / 1000) + 3590 });
  await followed.minute([one]);
  const isFollowed = async () => (await left(learning, one)).remaining <= MOST - 40 ? "yes" : "no";
  await comesTo(isFollowed, "yes");
});

/** What is left of the quota behind another call. */
async function left({ desk }: Learning, key: string) {
  const verdict = await call(desk, "POST", "/v1/keys/verify", { key });
  assert.ok(verdict.valid, JSON.stringify(verdict));
  return verdict.quota as { remaining: number };
}

onClock("nothing is followed once its plans are decided here", async (learning) => {
  const { desk } = learning;
  const followed = await Followed.of(learning, 2);
  const { data } = await call(desk, "GET", "/v1/plans");
  const plan = data.find(({ id, _id }: { id: string; _id: string }) =>
    [id, _id].includes("plan-free")
  );
  await call(desk, "PUT", `/v1/plans/${plan.id}/decided`, { decided: "keydesk" });
  await followed.write(0, { apply_policies: ["plan-quota"], expires: 1 });
  learning.door.gateway.revoke(followed.names[1] ?? "");
  await followed.minute();
  const [one, other] = [await followed.read(0), await followed.read(1)];
  assert.deepEqual([one.state, one.plans, other.state], ["active", ["plan-free"], "active"]);
  await call(desk, "PUT", `/v1/plans/${plan.id}/decided`, { decided: "gateway" });
  await followed.minute();
  assert.equal((await followed.read(0)).state, "suspended");
  await comesTo(() => outcome(desk, followed.keys[1] ?? ""), "revoked");
});
