/** Jobs of what is late: what was late at the moment that somebody looked, and no more. */
import assert from "node:assert/strict";
import { assertInvalid } from "../../support/answers.ts";
import { addRows } from "../../../src/features/jobs/jobs.transactions.ts";
import { succeed } from "../../support/companions.ts";
import { ask, engineOf, JOBS, onEngines, outcomes, read, start, work } from "../../support/jobs.ts";
import { call } from "../../support/people.ts";
import { v1 } from "../../support/v1-requests.ts";
import { planWith } from "../../support/verification.ts";

const HOUR_MS = 3_600_000;

onEngines("what becomes late behind the moment stays", async (desk, clock) => {
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const body = { outcome: "one", decide_within_hours: 2 };
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body });
  const [first = ""] = await ask(desk, 1, { for_plan: plan });
  clock.at += HOUR_MS;
  const [second = ""] = await ask(desk, 1, { for_plan: plan });
  clock.at += HOUR_MS;
  const counted = await call(desk, "GET", `${JOBS}/selection?kind=decline&late=true`);
  assert.equal(counted.total, 1);
  clock.at += HOUR_MS;
  const filter = { late: "true", asked_before: counted.asked_before };
  const { id } = await start(desk, { kind: "decline", filter });
  await work(engineOf(desk));
  assert.deepEqual(outcomes(await read(desk, id)), {
    state: "done",
    total: 1,
    done: 1,
    left_alone: 0,
    failed: 0,
  });
  assert.equal((await v1.get(desk, first)).state, "declined");
  assert.equal((await v1.get(desk, second)).state, "pending");
});

onEngines("nothing that was decided is late", async (desk) => {
  const body = { kind: "reopen", filter: { late: "true" } };
  await assertInvalid(
    await desk.send("POST", JOBS, { body }),
    "filter.late: only what waits is late",
  );
  assert.deepEqual((await call(desk, "GET", JOBS)).data, []);
});

onEngines(
  "where somebody is given a scope before all is found it is broken off",
  async (desk, clock) => {
    await ask(desk, 2);
    const body = { name: "Pia", permissions: ["portal:read", "approve"] };
    const { id: person } = await call(desk, "POST", "/v1/people", body);
    const token = { name: "laptop", deliver: "answer" };
    const { credential } = await call(desk, "POST", `/v1/people/${person}/credentials`, token);
    const { next_cursor: next } = await call(desk, "GET", "/v1/key-requests?sort=oldest&limit=1");
    const { id } = await start(desk, { kind: "decline", filter: {} }, credential);
    // As though the first part had been found.
    const found = { org_id: desk.org_id, id, from: "", next, rows: [], now: clock.now() };
    await desk.app.ctx.storage.commit(addRows, found);
    const covers = { plans: [await planWith(desk, {})] };
    await call(desk, "PUT", `/v1/people/${person}`, { ...body, covers });
    await work(engineOf(desk));
    const { state, why, done } = await read(desk, id);
    assert.deepEqual([state, why, done], ["broken_off", "permission_ended", 0]);
  },
);
