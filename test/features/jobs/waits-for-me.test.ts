/** Jobs of what waits for whoever starts them: their own step, and nobody else's. */
import assert from "node:assert/strict";
import { assertInvalid } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { ask, engineOf, JOBS, onEngines, outcomes, read, start, work } from "../../support/jobs.ts";
import { call, newPerson } from "../../support/people.ts";
import { v1 } from "../../support/v1-requests.ts";
import { planWith } from "../../support/verification.ts";

onEngines("what waits for somebody else is left out", async (desk) => {
  const may = ["portal:read", "portal:write", "approve"] as const;
  const ann = await newPerson(desk, may, { name: "Ann" });
  const bob = await newPerson(desk, may, { name: "Bob" });
  const asked: string[] = [];
  for (const { id } of [ann, bob]) {
    const plan = await planWith(desk, { rate: 100, per: 1 });
    const steps = [{ name: "Data", need: 1, people: [id] }];
    const body = { outcome: "steps", steps };
    await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body });
    asked.push(...await ask(desk, 2, { for_plan: plan }));
  }
  const path = `${JOBS}/selection?kind=approve&waits_for=me`;
  assert.equal((await call(desk, "GET", path, undefined, ann.credential)).total, 2);
  const filter = { waits_for: "me" };
  const { id } = await start(desk, { kind: "approve", filter }, ann.credential);
  await work(engineOf(desk));
  const ended = await read(desk, id);
  assert.deepEqual(outcomes(ended), {
    state: "done",
    total: 2,
    done: 2,
    left_alone: 0,
    failed: 0,
  });
  assert.equal(ended.filter.waits_for, "me");
  const states = await Promise.all(asked.map(async (one) => (await v1.get(desk, one)).state));
  assert.deepEqual(states, ["issued", "issued", "pending", "pending"]);
  const reopen = await desk.send("POST", JOBS, { body: { kind: "reopen", filter } });
  await assertInvalid(reopen, "filter.waits_for: declined requests wait for no decision");
});
