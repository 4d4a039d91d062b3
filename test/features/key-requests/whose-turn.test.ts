/** Requests by whose turn it is: the caller's, or nobody's; and who could decide under a policy. */
import assert from "node:assert/strict";
import { waitingWarnings } from "../../../src/cli/doctor-store.ts";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { registered } from "../../support/developers.ts";
import { allItems, call, newPerson, testClock } from "../../support/people.ts";
import { bySession, signIn } from "../../support/sign-in.ts";
import { planWith } from "../../support/verification.ts";

const clock = testClock();
const approver = ["portal:read", "portal:write", "approve"] as const;
const path = (id: string) => `/v1/key-requests/${id}`;

/** A request for a plan under this policy. */
async function waiting(desk: TestDesk, policy: Record<string, unknown>, by = desk.admin) {
  const plan = await planWith(desk, { rate: 100, per: 1 });
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: policy });
  const { id: by_user, email } = await registered(desk, `dev-${crypto.randomUUID()}`);
  const body = { by_user, for_plan: plan };
  const asked = await desk.send("POST", "/v1/key-requests", { body, credential: by });
  return { id: (await asked.json()).id as string, plan, email };
}

testOnEngines("waits for me: by step, by filer, by address and by scope", async (desk) => {
  const ann = await newPerson(desk, approver, { name: "Ann" });
  const bob = await newPerson(desk, approver, { name: "Bob" });
  const steps = [
    { name: "Data", need: 1, people: [ann.id] },
    { name: "Platform", need: 1, people: [bob.id] },
  ];
  const inSteps = await waiting(desk, { outcome: "steps", steps });
  const simple = await waiting(desk, { outcome: "one" });
  const filed = await waiting(desk, { outcome: "one", not_by_filer: true }, ann.credential);
  const turn = async ({ credential }: { credential: string }, who = "me") =>
    (await allItems(desk, `/v1/key-requests?waits_for=${who}`, credential)).map(({ id }) => id)
      .sort();
  const sorted = (...all: { id: string }[]) => all.map(({ id }) => id).sort();
  assert.deepEqual(await turn(ann), sorted(inSteps, simple));
  assert.deepEqual(await turn(bob), sorted(simple, filed));
  await succeed(desk, "POST", `${path(inSteps.id)}/approve`, { credential: ann.credential });
  assert.deepEqual(await turn(ann), sorted(simple));
  assert.deepEqual(await turn(bob), sorted(inSteps, simple, filed));
  const own = { name: "Bob", permissions: approver, email: simple.email };
  await succeed(desk, "PUT", `/v1/people/${bob.id}`, { body: own });
  assert.deepEqual(await turn(bob), sorted(inSteps, filed));
  const scope = { plans: [filed.plan], apis: [], tags: [] };
  const scoped = { name: "Bob", permissions: ["portal:read", "approve"], scope };
  await succeed(desk, "PUT", `/v1/people/${bob.id}`, { body: scoped });
  // Who calls is trusted for a second.
  clock.at += 1001;
  assert.deepEqual(await turn(bob), sorted(filed));
  // Now nobody is left for the step that waits: it is told, and by whoever reads.
  assert.deepEqual(await turn(ann, "nobody"), sorted(inSteps));
  const [sentence = ""] = await waitingWarnings(desk.app.ctx.storage.reader, clock.at);
  assert.match(sentence, new RegExp(`\\(1\\): ${inSteps.id} \\("Platform"\\)\\.`));
  // Whoever only reads decides nothing.
  const rita = await newPerson(desk, ["portal:read"], { name: "Rita" });
  assert.deepEqual(await turn(rita), []);
  // What was offered waits for its developer.
  const conditions = { rate: { calls: 1, seconds: 60 } };
  await succeed(desk, "POST", `${path(simple.id)}/offer`, { body: { conditions } });
  assert.deepEqual(await turn(ann), []);
  const refused = await desk.send("GET", "/v1/key-requests?waits_for=me&state=issued");
  assert.deepEqual([refused.status, (await refused.json()).code], [400, "invalid_input"]);
}, { clock });

testOnEngines("policies: who could approve is told before anything is set", async (desk) => {
  const ann = await newPerson(desk, approver, { name: "Ann" });
  const bob = await newPerson(desk, ["portal:read", "approve"], { name: "Bob" });
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const other = await planWith(desk, { rate: 100, per: 1 });
  const scope = { plans: [other], apis: [], tags: [] };
  await succeed(desk, "PUT", `/v1/people/${bob.id}`, {
    body: { name: "Bob", permissions: ["portal:read", "approve"], scope },
  });
  const check = (body: Record<string, unknown>) =>
    call(desk, "POST", "/v1/approval-policies/check", body);
  const steps = [{ name: "Both", need: 2, people: [ann.id, bob.id] }];
  const lacking = await check({ plan, outcome: "steps", steps });
  assert.deepEqual(lacking.steps, [{
    name: "Both",
    need: 2,
    count: 1,
    people: [{ id: ann.id, name: "Ann" }],
  }]);
  assert.deepEqual(lacking.lacks, ["steps[0].need: 2 of 1 who may approve: Ann"]);
  const fine = await check({ plan: other, outcome: "steps", steps });
  assert.deepEqual([fine.lacks, fine.steps[0].count], [[], 2]);
  const anybody = await check({ outcome: "one" });
  assert.ok(anybody.steps[0].people.some(({ name }: { name: string }) => name === "Ann"));
  assert.deepEqual((await check({ outcome: "at_once" })).steps, []);
  const { data } = await call(desk, "GET", "/v1/approval-policies");
  assert.equal(data.length, 1);
}, { clock });

testOnEngines(
  "policies: one that has changed since it was read is not overwritten",
  async (desk) => {
    const plan = await planWith(desk, { rate: 100, per: 1 });
    const at = `/v1/plans/${plan}/approval-policy`;
    const send = (method: string, body?: unknown, seen?: string) =>
      desk.send(method, at, { body, ...seen ? { headers: { "if-match": `"${seen}"` } } : {} });
    const first = await (await send("PUT", { outcome: "one" })).json();
    const second = await send("PUT", { outcome: "at_once" }, first.revision);
    assert.equal(second.status, 200);
    const { revision } = await second.json();
    assert.equal(second.headers.get("etag"), `"${revision}"`);
    await assertFailure(
      await send("PUT", { outcome: "one" }, first.revision),
      "precondition_failed",
    );
    await assertFailure(await send("DELETE", undefined, first.revision), "precondition_failed");
    assert.equal((await send("DELETE", undefined, revision)).status, 200);
    const { data: [byDefault] } = await call(desk, "GET", "/v1/approval-policies");
    const set = (seen: string) =>
      desk.send("PUT", "/v1/approval-policy", {
        body: { outcome: "one" },
        headers: { "if-match": `"${seen}"` },
      });
    assert.equal((await set(byDefault.revision)).status, 200);
    await assertFailure(await set(byDefault.revision), "precondition_failed");
  },
  { clock },
);

testOnEngines("first steps: not by who filed it is offered once two may approve", async (desk) => {
  const step = async () => (await call(desk, "GET", "/v1/insight/first-steps")).not_by_filer;
  assert.equal(await step(), null);
  await newPerson(desk, approver, { name: "Ann" });
  assert.deepEqual(await step(), { done: false, at: null });
  const body = { outcome: "catalogue", not_by_filer: true };
  await succeed(desk, "PUT", "/v1/approval-policy", { body });
  assert.equal((await step()).done, true);
  await succeed(desk, "PUT", "/v1/approval-policy", { body: { outcome: "one" } });
  assert.equal(await step(), null);
}, { clock });

testOnEngines("sessions: they say who counts in a step", async (desk) => {
  const ann = await newPerson(desk, approver, { name: "Ann" });
  const bob = await newPerson(desk, approver, { name: "Bob" });
  const rita = await newPerson(desk, ["portal:read"], { name: "Rita" });
  const inSteps = async ({ credential }: { credential: string }) =>
    (await (await bySession(desk, await signIn(desk, { credential }), "GET", "/v1/session"))
      .json()).in_steps;
  assert.equal(await inSteps(ann), false);
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const set = (of: Record<string, unknown>[]) =>
    succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, {
      body: { outcome: "steps", steps: of },
    });
  await set([{ name: "Data", need: 1, people: [ann.id] }]);
  assert.deepEqual([await inSteps(ann), await inSteps(bob)], [true, false]);
  await set([{ name: "All", need: 2 }]);
  assert.deepEqual(
    [await inSteps(ann), await inSteps(bob), await inSteps(rita)],
    [true, true, false],
  );
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: { outcome: "one" } });
  assert.equal(await inSteps(ann), false);
}, { clock });

testOnEngines("mine is what is assigned to me, or waits for me, the oldest first", async (desk) => {
  const ann = await newPerson(desk, approver, { name: "Ann" });
  const bob = await newPerson(desk, approver, { name: "Bob" });
  const steps = [
    { name: "First", need: 1, people: [ann.id] },
    { name: "Second", need: 1, people: [bob.id] },
  ];
  const { id: open } = await waiting(desk, { outcome: "one" });
  clock.at += 1000;
  const { id: inSteps } = await waiting(desk, { outcome: "steps", steps });
  const mine = async ({ credential }: { credential: string }, query = "") =>
    (await allItems(desk, `/v1/key-requests?mine=true${query}`, credential)).map(({ id }) => id);
  assert.deepEqual(await mine(ann), [open, inSteps]);
  assert.deepEqual(await mine(ann, "&sort=newest"), [inSteps, open]);
  assert.deepEqual(await mine(bob), [open]);
  await succeed(desk, "PUT", `${path(inSteps)}/assignee`, { body: { assignee: bob.id } });
  assert.deepEqual(await mine(bob), [open, inSteps]);
  const message = "mine: goes with state pending, and without waits_for";
  await assertFailure(
    await desk.send("GET", "/v1/key-requests?mine=true&state=issued"),
    "invalid_input",
    { message, errors: [message] },
  );
}, { clock });
