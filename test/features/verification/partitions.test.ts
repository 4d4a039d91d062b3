/** A plan with partitions counts for those alone. */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { issue } from "../../support/keys.ts";
import { changePlan, heeds, outcome, planWith, valid } from "../../support/verification.ts";

const RATE = { rate: 5, per: 60 };
const QUOTA = { quota_max: 9, quota_renewal_rate: 3600 };
const only = (...names: string[]) => ({
  partitions: {
    acl: false,
    rate_limit: false,
    quota: false,
    complexity: false,
    per_api: false,
    ...Object.fromEntries(names.map((name) => [name, true])),
  },
});

/** Rate and quota that hold for an API, or the reason why the key does not open it. */
async function limits(desk: TestDesk, key: string, api_id?: string) {
  const body = api_id === undefined ? { key } : { key, api_id };
  const reason = await outcome(desk, body);
  if (reason !== "valid") return reason;
  const { rate, quota } = await valid(desk, body);
  return [rate?.limit ?? null, quota?.limit ?? null];
}

testOnEngines("partitions: none of them true is for everything", async (desk) => {
  const cases = [{}, only(), only("per_api"), { partitions: null }, { partitions: "acl" }, {
    partitions: { acl: "true", quota: 1 },
  }];
  for (const [n, partitions] of cases.entries()) {
    const plan = await planWith(desk, { ...RATE, ...QUOTA, ...partitions }, ["a"]);
    const { RawKey } = await issue(desk, [plan], `dev-${n}`);
    assert.deepEqual(await limits(desk, RawKey, "a"), [5, 9]);
    assert.equal(await limits(desk, RawKey, "b"), "wrong_api");
  }
});

testOnEngines("partitions: limits alone open no API, wherever they are asked", async (desk) => {
  const rate = await planWith(desk, { ...RATE, ...only("rate_limit") }, ["a"]);
  const quota = await planWith(desk, { ...QUOTA, ...only("quota") });
  const complexity = await planWith(desk, only("complexity"));
  const { RawKey } = await issue(desk, [rate, quota, complexity]);
  for (const api of ["a", "b", undefined]) {
    assert.equal(await limits(desk, RawKey, api), "wrong_api");
  }
});

testOnEngines("partitions: access of one plan, rate and quota of others", async (desk) => {
  const access = await planWith(desk, { ...RATE, ...QUOTA, ...only("acl") }, ["a", "b"]);
  const rate = await planWith(desk, { rate: 7, per: 60, ...QUOTA, ...only("rate_limit") }, ["c"]);
  const quota = await planWith(desk, { ...RATE, quota_max: 4, ...only("quota") });
  const alone = await issue(desk, [access], "dev-alone");
  assert.deepEqual(await limits(desk, alone.RawKey, "a"), [null, null]);
  const { RawKey: key } = await issue(desk, [rate, access, quota]);
  assert.deepEqual(await limits(desk, key, "a"), [7, 4]);
  assert.equal(await limits(desk, key, "c"), "wrong_api");
  assert.deepEqual((await valid(desk, { key, api_id: "b" })).plans, [rate, access, quota]);
  // Both APIs draw on the one quota: three are used, so one is left.
  assert.equal((await valid(desk, { key, api_id: "b" })).quota?.remaining, 0);
  assert.equal(await limits(desk, key, "a"), "over_quota");
});

testOnEngines("partitions: access without access rights opens every API", async (desk) => {
  const access = await planWith(desk, only("acl"));
  const { RawKey } = await issue(desk, [access]);
  assert.deepEqual(await limits(desk, RawKey, "anything"), [null, null]);
  assert.deepEqual(await limits(desk, RawKey), [null, null]);
});

testOnEngines(
  "partitions: of a whole plan and one for limits the more generous counts",
  async (desk) => {
    const whole = await planWith(desk, { ...RATE, ...QUOTA }, ["a"]);
    const more = await planWith(desk, {
      rate: 50,
      per: 60,
      quota_max: 1,
      ...only("rate_limit", "quota"),
    });
    const { RawKey } = await issue(desk, [whole, more]);
    // A quota that is never renewed is less than one that is.
    assert.deepEqual(await limits(desk, RawKey, "a"), [50, 9]);
  },
);

testOnEngines("partitions: access alone lifts no limit of another plan", async (desk) => {
  const access = await planWith(desk, only("acl"), ["x"]);
  const everywhere = await planWith(desk, only("acl"));
  const whole = await planWith(desk, { rate: 10, per: 60, quota_max: 10 });
  const quotaToo = await planWith(desk, { ...QUOTA, ...only("acl", "quota") }, ["x"]);
  const elsewhere = await planWith(desk, { rate: 20, per: 60, quota_max: 20 }, ["y"]);
  const cases: [plans: string[], expected: unknown][] = [
    [[access, whole], [10, 10]],
    [[whole, access], [10, 10]],
    [[everywhere, whole], [10, 10]],
    [[access, quotaToo], [null, 9]],
    [[access, elsewhere], [20, 20]],
    // Nine an hour is more than ten for ever.
    [[quotaToo, whole], [10, 9]],
  ];
  for (const [n, [plans, expected]] of cases.entries()) {
    const { RawKey } = await issue(desk, plans, `dev-${n}`);
    assert.deepEqual(await limits(desk, RawKey, "x"), expected, String(n));
  }
  const { RawKey: key } = await issue(desk, [access, whole], "dev-ten");
  for (let n = 0; n < 10; n++) await valid(desk, { key, api_id: "x" });
  assert.equal(await outcome(desk, { key, api_id: "x" }), "over_rate");
});

testOnEngines(
  "partitions: without a limit in a plan for limits alone there is none",
  async (desk) => {
    const whole = await planWith(desk, { ...RATE, ...QUOTA }, ["a"]);
    const none = await planWith(desk, { rate: 0, ...only("rate_limit") });
    const { RawKey } = await issue(desk, [whole, none]);
    assert.deepEqual(await limits(desk, RawKey, "a"), [null, 9]);
  },
);

testOnEngines("partitions: a change is heeded", async (desk) => {
  const limited = { rate: 5000, per: 60, ...only("acl", "rate_limit") };
  const plan = await planWith(desk, limited, ["a"]);
  const { RawKey: key } = await issue(desk, [plan]);
  assert.deepEqual(await limits(desk, key, "a"), [5000, null]);
  await changePlan(desk, plan, only("rate_limit"));
  await heeds(desk, { key, api_id: "a" }, "wrong_api");
  await changePlan(desk, plan, only());
  await heeds(desk, { key, api_id: "a" }, "valid");
});
