/** Asking as a door would: the same answer, without the call. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { checkedKey } from "../../../src/features/verification/explain.contract.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { call, issue, movableClock } from "../../support/keys.ts";
import { denied, invalid, testRefusals, unauthenticated } from "../../support/refusals.ts";
import { askedForPlan } from "../../support/offers.ts";
import { countsOf, written } from "../../support/usage.ts";
import { changePlan, outcome, planWith, valid } from "../../support/verification.ts";

const clock = movableClock("2026-03-01T22:10:00Z");
const PATH = "/v1/keys/check";

const ask = (desk: TestDesk, body: Record<string, unknown>): Promise<z.output<typeof checkedKey>> =>
  call(desk, "POST", PATH, body);

/** The step that refuses, and why. */
async function ends(desk: TestDesk, body: Record<string, unknown>) {
  const { reason, steps } = await ask(desk, body);
  return [steps.find(({ result }) => result === "refused")?.step, reason];
}

testOnEngines(
  "ask the door: each step refuses as a door does, and nothing is counted",
  async (desk) => {
    const plan = await planWith(
      desk,
      { rate: 2, per: 3600, quota_max: 5, quota_renewal_rate: 86_400 },
      ["weather"],
    );
    const { RawKey, key_id } = await issue(desk, [plan]);
    const question = { key: RawKey, api_id: "weather" };
    for (let i = 0; i < 3; i++) {
      const told = await ask(desk, question);
      assert.deepEqual([told.valid, told.reason, told.key_id, told.plan_id], [
        true,
        null,
        key_id,
        plan,
      ]);
      assert.deepEqual(told.rate, { limit: 2, per_seconds: 3600, remaining: 2 });
      assert.deepEqual(told.quota, { limit: 5, per_seconds: 86_400, remaining: 5 });
      assert.ok(told.steps.every(({ result }) => result === "passed"));
    }
    await written(desk);
    assert.deepEqual(await countsOf(desk), [0, 0, 0]);
    assert.deepEqual(await ends(desk, { key: "no-such-key" }), ["key", "unknown"]);
    assert.deepEqual(await ends(desk, { key_id: "f".repeat(64) }), ["key", "unknown"]);
    const other = await ask(desk, { key_id, api_id: "tides" });
    assert.deepEqual([other.reason, other.valid_for], ["wrong_api", ["weather"]]);
    assert.deepEqual(other.steps.map(({ result }) => result), [
      ...Array(5).fill("passed"),
      "refused",
      ...Array(2).fill("not_reached"),
    ]);
    await valid(desk, question);
    assert.deepEqual((await ask(desk, question)).quota?.remaining, 4);
    await valid(desk, question);
    assert.deepEqual(await ends(desk, { key_id, api_id: "weather" }), ["rate", "over_rate"]);
    await changePlan(desk, plan, { rate: -1, quota_max: 2 });
    await until(desk, question, ["quota", "over_quota"]);
    assert.equal(await outcome(desk, question), "over_quota");
    await changePlan(desk, plan, { active: false });
    await until(desk, question, ["plan", "plan_inactive"]);
    await call(desk, "POST", `/v1/keys/${key_id}/suspend`, { reason: "for a test" });
    await until(desk, question, ["state", "suspended"]);
    const { admin } = await desk.otherOrganisation();
    const foreign = await call<z.output<typeof checkedKey>>(desk, "POST", PATH, question, {
      credential: admin,
    });
    assert.equal(foreign.reason, "unknown");
  },
  { clock },
);

/** Waits until it ends like this. */
async function until(desk: TestDesk, body: Record<string, unknown>, expected: string[]) {
  const isSo = async () => (await ends(desk, body)).join() === expected.join();
  await eventually(`the check ends with ${expected.join(": ")}`, isSo);
}

testRefusals("ask the door", () =>
  Promise.resolve({
    rows: [
      unauthenticated("POST", PATH, { key: "k" }),
      denied(["POST", PATH, { key: "k" }], "verify"),
      invalid("neither", ["POST", PATH, {}], "body: expected either key or key_id"),
      invalid(
        "both",
        ["POST", PATH, { key: "k", key_id: "i" }],
        "body: expected either key or key_id",
      ),
    ],
  }));

testOnEngines("ask the door: a key with addresses refuses a visitor of another", async (desk) => {
  const { id } = await askedForPlan(desk);
  const { key_id } = await succeed<{ key_id: string }>(
    desk,
    "POST",
    `/v1/key-requests/${id}/approve`,
    { body: { conditions: { addresses: ["192.0.2.0/24"] } } },
  );
  assert.deepEqual(await ends(desk, { key_id }), ["address", "address_unknown"]);
  assert.deepEqual(await ends(desk, { key_id, address: "198.51.100.1" }), ["address", "address"]);
  assert.equal((await ask(desk, { key_id, address: "192.0.2.7" })).valid, true);
});
