/** Things that files manage: others' changes are drift or refused, and nothing else is removed. */
import assert from "node:assert/strict";
import { driftWarnings } from "../../../src/features/config/config-state.ts";
import { assertFailure } from "../../support/answers.ts";
import { operatorOf } from "../../support/config.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";

const GOLD = { plans: [{ name: "Gold", rate: 10, per: 1 }] };

async function planOf(desk: TestDesk, name: string) {
  const { data } = await call(desk, "GET", "/v1/plans");
  return data.find((plan: { name: string }) => plan.name === name);
}

testOnEngines(
  "a change of a managed thing is drift, told once, until the file is applied",
  async (desk) => {
    const client = operatorOf(desk);
    const body = { config: GOLD, source: "platform.yaml", revision: "3f9c1e2" };
    await client.applyConfig({ body });
    const { _id } = await planOf(desk, "Gold");
    for (const rate of [20, 30]) await call(desk, "PUT", `/v1/plans/${_id}`, { rate });
    const [plan] = (await client.getManagedConfig()).data;
    assert.ok(plan?.drifted_at);
    assert.deepEqual(plan.drift, [{ member: "rate", before: 30, after: 10 }]);
    assert.deepEqual([plan.source, plan.revision, plan.made], ["platform.yaml", "3f9c1e2", true]);
    assert.deepEqual((await client.getServerInfo()).config, { drifted: 1, waiting: 0 });
    const [warning, ...others] = await driftWarnings(desk.app.ctx.storage.reader);
    assert.match(warning ?? "", /^1 thing differs from the file that manages it in the org/);
    assert.deepEqual(others, []);
    const { data } = await call(desk, "GET", "/v1/audit-log?object=config");
    assert.deepEqual(data.map(({ action }: { action: string }) => action), ["config.applied"]);
    await client.applyConfig({ body });
    assert.equal((await planOf(desk, "Gold")).rate, 10);
    assert.equal((await client.getManagedConfig()).data[0]?.drifted_at, null);
    assert.deepEqual(await driftWarnings(desk.app.ctx.storage.reader), []);
  },
);

testOnEngines(
  "changes of managed things are refused where the organisation says so",
  async (desk) => {
    const client = operatorOf(desk);
    const config = { ...GOLD, apis: [{ id: "tides", name: "Tides", plans: ["Gold"] }] };
    await client.applyConfig({ body: { config, source: "platform.yaml" } });
    await client.setConfigRule({ body: { changes: "refuse" } });
    const { _id } = await planOf(desk, "Gold");
    const catalogue = await call(desk, "GET", "/api/portal/catalogue");
    for (
      const [method, path, body] of [
        ["PUT", `/v1/plans/${_id}`, { rate: 20 }],
        ["PUT", `/api/portal/policies/${_id}`, { rate: 20 }],
        ["PUT", "/v1/apis/tides", { version: "v2" }],
        ["PUT", "/api/portal/catalogue", catalogue],
        ["DELETE", `/v1/plans/${_id}`, undefined],
      ] as const
    ) {
      const answer = await desk.send(method, path, { body });
      const told = await answer.clone().json();
      const message = told.detail ?? told.Message;
      assert.match(message, /^(Gold|Tides) is managed by platform\.yaml/);
      await assertFailure(answer, "managed_by_file", { message });
    }
    // Anything else is free, and so is the file itself.
    await call(desk, "POST", "/v1/plans", { name: "Free" });
    const more = { plans: [{ name: "Gold", rate: 11 }], apis: config.apis };
    await client.applyConfig({ body: { config: more, source: "platform.yaml" } });
    assert.equal((await planOf(desk, "Gold")).rate, 11);
  },
);

testOnEngines(
  "a file removes only what it made, and declares nothing of another file's",
  async (desk) => {
    const client = operatorOf(desk);
    await call(desk, "POST", "/v1/plans", { name: "By hand" });
    const config = { plans: [{ name: "Gold" }, { name: "By hand", rate: 1, per: 1 }] };
    await client.applyConfig({ body: { config, source: "a.yaml" } });
    const taken = client.diffConfig({ body: { config: GOLD, source: "b.yaml" } });
    await assert.rejects(taken, { code: "managed_by_file" });
    await client.applyConfig({ body: { config: { plans: [] }, source: "a.yaml" } });
    assert.ok(await planOf(desk, "Gold"), "without prune nothing is removed");
    await client.applyConfig({ body: { config: { plans: [] }, source: "a.yaml", prune: true } });
    assert.equal(await planOf(desk, "Gold"), undefined);
    assert.equal((await planOf(desk, "By hand")).rate, 1);
    assert.deepEqual((await client.getManagedConfig()).data, []);
    await client.applyConfig({ body: { config: GOLD, source: "b.yaml" } });
  },
);
