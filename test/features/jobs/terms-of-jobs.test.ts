/** What the approvals of a job say and grant: as where one is approved, each by its policy. */
import assert from "node:assert/strict";
import { assertInvalid } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import {
  ask,
  DAY,
  engineOf,
  file,
  JOBS,
  onEngines,
  outcomes,
  read,
  start,
  work,
} from "../../support/jobs.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { known } from "../../support/known-parties.ts";
import { allItems, call, newPerson } from "../../support/people.ts";
import { v1 } from "../../support/v1-requests.ts";
import { planWith } from "../../support/verification.ts";

const words = { reason: "The course begins.", message: "Welcome to the course." };
const networks = { addresses: ["192.0.2.0/24", "2001:db8::/32"] };

onEngines("its approvals say and grant what it says", async (desk, clock) => {
  const ids = await ask(desk, 3);
  const review_at = new Date(clock.at + 30 * DAY).toISOString();
  const expires_at = new Date(clock.at + 60 * DAY).toISOString();
  const conditions = { ...networks, review_at };
  const body = { kind: "approve", ids, ...words, conditions, expires_at };
  const started = await start(desk, body);
  const granted = { ...networks, rate: null, quota: null, review_at };
  assert.deepEqual([started.message, started.conditions], [words.message, granted]);
  await work(engineOf(desk));
  assert.equal((await read(desk, started.id)).steps, 0);
  for (const id of ids) {
    const request = await v1.get(desk, id);
    assert.deepEqual([request.state, request.reason, request.message], [
      "issued",
      words.reason,
      words.message,
    ]);
    assert.deepEqual(request.granted, { ...granted, expires_at, plans: null });
  }
  const { data: keys } = await call(desk, "GET", "/v1/keys");
  for (const key of keys) assert.deepEqual(key.conditions, granted);
  const [told] = await allItems(desk, "/v1/audit-log?action=job.started");
  assert.deepEqual(told.detail.granted.addresses, networks.addresses);
  assert.equal(told.detail.message, words.message);
});

onEngines("where steps are wanted a row is a step, and the last one issues", async (desk) => {
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const steps = [{ name: "Two", need: 2 }];
  const policy = { outcome: "steps", steps };
  const colleague = await newPerson(desk, ["portal:read", "approve"], { name: "Bob" });
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: policy });
  const inSteps = await create(desk, smallRequest({ by_user: "dev-steps", for_plan: plan }));
  const atOnce = await create(desk, smallRequest({ by_user: "dev-once" }));
  await known(desk, inSteps, atOnce);
  const engine = engineOf(desk);
  const wide = { kind: "approve", ids: [inSteps, atOnce], ...words, conditions: networks };
  const { id } = await start(desk, wide);
  await work(engine);
  const job = await read(desk, id);
  assert.deepEqual(outcomes(job), { state: "done", total: 2, done: 2, left_alone: 0, failed: 0 });
  assert.equal(job.steps, 1);
  const lines = (await file(desk, "GET", `${JOBS}/${id}/result`)).slice(1);
  assert.deepEqual(lines.map((line) => [line.split(",")[0], line.split(",")[4]]), [
    [inSteps, "step"],
    [atOnce, "approved"],
  ]);
  const waiting = await v1.get(desk, inSteps);
  assert.equal(waiting.state, "pending");
  const [step] = waiting.approval?.steps ?? [];
  assert.deepEqual(step?.approved[0]?.granted?.addresses, networks.addresses);
  // What the other grants may only be within it.
  const narrow = { addresses: ["192.0.2.128/25"] };
  const last = { kind: "approve", ids: [inSteps], conditions: narrow, message: "From both." };
  const second = await start(desk, last, colleague.credential);
  await work(engine);
  assert.deepEqual([(await read(desk, second.id)).steps, (await read(desk, second.id)).done], [
    0,
    1,
  ]);
  const issued = await v1.get(desk, inSteps);
  assert.equal(issued.state, "issued");
  assert.deepEqual(issued.granted?.addresses, narrow.addresses);
  assert.equal(issued.message, "Welcome to the course.\n\nFrom both.");
});

onEngines("words and conditions of what issues no key are refused", async (desk) => {
  const post = (body: object) => desk.send("POST", JOBS, { body });
  for (const kind of ["decline", "reopen"]) {
    await assertInvalid(
      await post({ kind, ids: ["x"], message: "Hello" }),
      "message: goes with approve alone",
    );
    await assertInvalid(
      await post({ kind, ids: ["x"], conditions: networks }),
      "conditions: goes with approve alone",
    );
  }
  const wrong = { kind: "approve", ids: ["x"], conditions: { addresses: ["300.1.1.1"] } };
  assert.equal((await post(wrong)).status, 400);
  const past = { kind: "approve", ids: ["x"], conditions: { review_at: "2020-01-01T00:00:00Z" } };
  await assertInvalid(await post(past), "review_at: expected a time to come");
  assert.deepEqual((await call(desk, "GET", JOBS)).data, []);
});
