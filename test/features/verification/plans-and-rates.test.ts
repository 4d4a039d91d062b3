/** What plans decide: which APIs, how often, and that a changed plan is heeded. */
import assert from "node:assert/strict";
import {
  periodOfOne,
  rateOfOne,
  rateRemaining,
  takeCall,
} from "../../../src/features/verification/rate.ts";
import { pathTo, POLICIES } from "../../support/companions.ts";
import { testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { issue } from "../../support/keys.ts";
import { changePlan, heeds, outcome, planWith, valid, verify } from "../../support/verification.ts";

testOnEngines("plans: an API that none of the key's plans opens is wrong_api", async (desk) => {
  const weather = await planWith(desk, {}, ["weather"]);
  const tides = await planWith(desk, {}, ["tides", "waves"]);
  const all = await planWith(desk, {});
  const both = await issue(desk, [weather, tides], "dev-both");
  const one = await issue(desk, [weather], "dev-one");
  const every = await issue(desk, [all], "dev-every");
  const ask = async (key: string) => {
    const apis = ["weather", "tides", "waves", "none", undefined];
    const seen = [];
    for (const api_id of apis) {
      seen.push(await outcome(desk, api_id === undefined ? { key } : { key, api_id }));
    }
    return seen;
  };
  const [yes, no] = ["valid", "wrong_api"];
  assert.deepEqual(await ask(both.RawKey), [yes, yes, yes, no, yes]);
  assert.deepEqual(await ask(one.RawKey), [yes, no, no, no, yes]);
  assert.deepEqual(await ask(every.RawKey), [yes, yes, yes, yes, yes]);
});

testOnEngines(
  "plans: inactive and deleted ones open nothing, others of the key do",
  async (desk) => {
    const one = await planWith(desk, {}, ["one"]);
    const two = await planWith(desk, {}, ["two"]);
    const { RawKey: key } = await issue(desk, [one, two]);
    const untouched = await issue(desk, [two], "dev-bob");
    await valid(desk, { key, api_id: "one" });
    await valid(desk, untouched.RawKey);
    await changePlan(desk, one, { active: false });
    await heeds(desk, { key, api_id: "one" }, "wrong_api");
    assert.deepEqual((await valid(desk, key)).plans, [two]);
    await changePlan(desk, one, { active: true });
    await heeds(desk, { key, api_id: "one" }, "valid");
    assert.equal((await desk.send("DELETE", pathTo(POLICIES, one))).status, 200);
    await heeds(desk, { key, api_id: "one" }, "wrong_api");
    assert.equal((await desk.send("DELETE", pathTo(POLICIES, two))).status, 200);
    // Deleted plans are known no more.
    await heeds(desk, key, "unknown_plan");
    await heeds(desk, untouched.RawKey, "unknown_plan");
  },
);

testOnEngines("plans: one that an inactive one stands beside is not unknown", async (desk) => {
  const inactive = await planWith(desk, { active: false });
  const { RawKey: key } = await issue(desk, ["plan-nobody-knows", inactive]);
  assert.equal(await outcome(desk, key), "plan_inactive");
});

testOnEngines(
  "rate: the calls of a plan and no more, and when it is worth trying again",
  async (desk) => {
    const plan = await planWith(desk, { rate: 3, per: 3600 });
    const { RawKey: key } = await issue(desk, [plan]);
    for (const remaining of [2, 1, 0]) {
      const { rate } = await valid(desk, key);
      assert.equal(rate?.limit, 3);
      assert.equal(rate?.remaining, remaining);
      const full = 3600 * (3 - remaining) / 3;
      assert.ok(rate.reset !== null && rate.reset <= full && rate.reset > full - 60);
    }
    const refused = await verify(desk, key);
    assert.ok(!refused.valid && refused.reason === "over_rate");
    assert.ok(refused.retry_after! <= 1200 && refused.retry_after! > 1100, JSON.stringify(refused));
    // A refusal counts nothing, a wrong API neither.
    assert.equal((await verify(desk, key)).valid, false);
  },
);

testOnEngines("rate: a plan's new rate holds at once for calls that are counted", async (desk) => {
  const plan = await planWith(desk, { rate: 1, per: 86_400 });
  const { RawKey: key } = await issue(desk, [plan]);
  await valid(desk, key);
  assert.equal(await outcome(desk, key), "over_rate");
  // One call of these hundred is spent; a debt of a day would refuse for a day.
  await changePlan(desk, plan, { rate: 100, per: 60 });
  await heeds(desk, key, "valid");
  const { rate } = await valid(desk, key);
  assert.equal(rate?.limit, 100);
  assert.ok(rate.remaining >= 97, String(rate.remaining));
  await changePlan(desk, plan, { rate: 0, per: 0 });
  await eventually("no limit any more", async () => {
    const verdict = await verify(desk, key);
    return verdict.valid && verdict.rate === null;
  });
});

testOnEngines("rate: of several plans that open the API the most generous counts", async (desk) => {
  const slow = await planWith(desk, { rate: 1, per: 60 });
  const fast = await planWith(desk, { rate: 50, per: 60 });
  const { RawKey: key } = await issue(desk, [slow, fast]);
  assert.equal((await valid(desk, key)).rate?.limit, 50);
  const free = await planWith(desk, {}, ["free"]);
  const other = await issue(desk, [slow, free], "dev-bob");
  assert.equal((await valid(desk, { key: other.RawKey, api_id: "free" })).rate, null);
  assert.equal((await valid(desk, { key: other.RawKey, api_id: "x" })).rate?.limit, 1);
});

/** A bucket and a clock of its own. */
function bucket(rate: number, periodMs: number) {
  const state = { fullAt: 0, intervalMs: 0 };
  const take = (at: number, r = rate, p = periodMs) => takeCall(state, r, p, at);
  const left = (at: number, r = rate, p = periodMs) => rateRemaining(state, r, p, at).remaining;
  return { take, left };
}

Deno.test("rate: the long run never exceeds it, and no period sees more than twice of it", () => {
  const { take } = bucket(7, 1000);
  const passed: number[] = [];
  for (let at = 0; at < 20_000; at++) if (take(at) === 0) passed.push(at);
  assert.ok(passed.length <= 7 * 20 + 7, String(passed.length));
  assert.ok(passed.length >= 7 * 20, String(passed.length));
  for (const from of passed) {
    const within = passed.filter((at) => at >= from && at < from + 1000).length;
    assert.ok(within <= 14, `${within} from ${from}`);
  }
});

Deno.test("rate: what it says to wait is just enough", () => {
  const { take } = bucket(3, 1000);
  for (let n = 0; n < 3; n++) assert.equal(take(5), 0);
  const wait = take(5);
  assert.ok(take(5 + wait - 0.01) > 0);
  assert.equal(take(5 + wait), 0);
});

Deno.test("rate: after a change as many calls are counted, and no debt outlives a period", () => {
  const down = bucket(1000, 60_000);
  for (let n = 0; n < 1000; n++) assert.equal(down.take(0), 0);
  assert.ok(down.take(0, 5, 60_000) > 0);
  assert.equal(down.left(0, 5, 60_000), 0);
  assert.equal(down.take(12_000, 5, 60_000), 0);
  const up = bucket(1, 86_400_000);
  assert.equal(up.take(0), 0);
  assert.equal(up.take(0, 10, 1000), 0);
  assert.equal(up.left(0, 10, 1000), 8);
});

Deno.test("rate: a rate so small that its period overflows still tells whole numbers", async () => {
  const { grantsOf } = await import("../../../src/features/verification/plan-grants.ts");
  const { rulesOf, emptyPlan } = await import("../../../src/features/plans/plan.ts");
  const plan = { ...emptyPlan({ _id: "p", id: "p" }, "p"), rate: 5e-324, per: 1e12 };
  const [rule] =
    grantsOf([{ id: "p", rules: rulesOf(plan, false), current: true }], "refuse").rules;
  assert.ok(rule && Number.isFinite(rule.ratePeriodMs));
  const { take, left } = bucket(rule.rate, rule.ratePeriodMs);
  assert.equal(take(0), 0);
  assert.ok(take(0) > 0);
  assert.equal(left(0), 0);
});

Deno.test("rate: what several processes let through together never exceeds it in the long run", () => {
  for (const [rate, periodMs] of [[7, 1000], [3, 1000], [1, 1000], [100, 500]] as const) {
    for (const processes of [1, 2, 3, 8]) {
      const part = rateOfOne(rate, processes);
      const all = Array.from(
        { length: processes },
        () => bucket(part, periodOfOne(rate, periodMs, processes)),
      );
      let passed = 0;
      for (let at = 0; at < 40_000; at++) {
        for (const { take } of all) if (take(at) === 0) passed++;
      }
      const allowed = rate * 40_000 / periodMs;
      // At the beginning full buckets: one call of each at least.
      assert.ok(passed <= allowed + Math.max(rate, processes), `${passed} of ${allowed}`);
      assert.ok(passed >= allowed * 0.97, `${passed} of ${allowed}`);
    }
  }
});

testOnEngines(
  "rate: one of several processes lets through its part, and tells of the whole",
  async (desk) => {
    // Nothing comes back within the test.
    const plan = await planWith(desk, { rate: 8, per: 86_400 });
    const { RawKey: key } = await issue(desk, [plan]);
    const first = await valid(desk, key);
    assert.deepEqual([first.rate?.limit, first.rate?.remaining], [8, 1]);
    assert.equal((await valid(desk, key)).rate?.remaining, 0);
    assert.equal(await outcome(desk, key), "over_rate");
    const small = await planWith(desk, { rate: 1, per: 86_400 });
    const { RawKey: other } = await issue(desk, [small], "dev-bob");
    await valid(desk, other);
    assert.equal(await outcome(desk, other), "over_rate");
  },
  { environment: { KEYDESK_PROCESSES: "4" } },
);
