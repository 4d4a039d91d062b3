/** Requests whose approvers have left: today's policy takes the place of theirs. */
import assert from "node:assert/strict";
import { AlertEngine } from "../../../src/features/notifications/alerts/alert-engine.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { registered } from "../../support/developers.ts";
import { addMailTarget, addPerson, mailEngine, mailServer } from "../../support/mail-server.ts";
import { call, newPerson, testClock } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";
import { planWith } from "../../support/verification.ts";

const clock = testClock();
const path = (id: string) => `/v1/key-requests/${id}`;

/** Who may approve and set policies, in this test. */
const approver = ["portal:read", "portal:write", "approve", "plans"] as const;

const step = (name: string, ...people: { id: string }[]) => ({
  name,
  need: 1,
  people: people.map(({ id }) => id),
});

async function setPolicy(desk: TestDesk, plan: string, steps: object[], more: object = {}) {
  const body = { outcome: "steps", steps, ...more };
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body });
}

/** Ada and Bob, both of whom a plan's policy wants, and a request for it that waits. */
async function adaThenBob(desk: TestDesk) {
  const ada = await newPerson(desk, approver, { name: "Ada" });
  const bob = await newPerson(desk, approver, { name: "Bob" });
  const cleo = await newPerson(desk, approver, { name: "Cleo" });
  const plan = await planWith(desk, { rate: 100, per: 1 });
  await setPolicy(desk, plan, [step("First", ada), step("Then", bob)]);
  const { id: by_user } = await registered(desk, `dev-${crypto.randomUUID()}`);
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", {
    body: { by_user, for_plan: plan },
  });
  return { ada, bob, cleo, plan, id };
}

const restart = (desk: TestDesk, id: string, { credential }: { credential: string }) =>
  desk.send("POST", `${path(id)}/restart-approval`, { credential });

const approve = (desk: TestDesk, id: string, { credential }: { credential: string }) =>
  desk.send("POST", `${path(id)}/approve`, { credential });

async function refused(response: Response, status: number, code: string): Promise<void> {
  const answer = await response.json();
  assert.deepEqual([response.status, answer.code], [status, code]);
}

testOnEngines(
  "restart: a named approver has left, and a press lets today's policy decide",
  async (desk) => {
    const { ada, bob, cleo, plan, id } = await adaThenBob(desk);
    assert.equal((await approve(desk, id, ada)).status, 200);
    await refused(await restart(desk, id, cleo), 409, "still_decidable");
    const needed = await call(desk, "GET", `/v1/people/${bob.id}/approvals`);
    assert.deepEqual(needed.key_requests, [id]);
    assert.deepEqual(needed.plans.map((one: { plan: string }) => one.plan), [plan]);
    assert.match(needed.plans[0].lacks[0], /1 of 0 who may approve: nobody/);
    const { left_open } = await call(desk, "DELETE", `/v1/people/${bob.id}`);
    assert.deepEqual(left_open, needed);
    await refused(await approve(desk, id, cleo), 403, "not_among_approvers");
    // The plan's own policy is none that anybody could fulfil.
    await refused(await restart(desk, id, cleo), 400, "policy_unfulfillable");
    await setPolicy(desk, plan, [step("Only", cleo)]);
    // One yes in the place of two is nothing that comes by itself.
    await new AlertEngine(desk.app.ctx).turn();
    await refused(await approve(desk, id, cleo), 403, "not_among_approvers");
    const weak = await newPerson(desk, ["portal:read", "approve"]);
    await refused(await restart(desk, id, weak), 403, "access_denied");
    // Whoever filed it, even where filers may decide.
    await refused(await restart(desk, id, { credential: desk.admin }), 403, "filed_by_you");
    const other = await desk.otherOrganisation();
    await refused(await restart(desk, id, { credential: other.admin }), 404, "not_found");
    const both = await Promise.all([restart(desk, id, cleo), restart(desk, id, cleo)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    for (const one of both) await one.body?.cancel();
    const shown = await call(desk, "GET", path(id));
    assert.deepEqual(
      shown.approval.steps.map((one: { name: string; approved: unknown[] }) => [
        one.name,
        one.approved.length,
      ]),
      [["Only", 0]],
    );
    const issued = await approve(desk, id, cleo);
    assert.equal((await issued.json()).state, "issued");
    const { data } = await call(
      desk,
      "GET",
      "/v1/audit-log?action=key_request.approval_restarted",
    );
    assert.equal(data.length, 1);
    assert.equal(data[0].actor, cleo.id);
    assert.deepEqual(data[0].detail.after, ["Only"]);
    await refused(await restart(desk, id, cleo), 409, "already_decided");
  },
  { clock },
);

testOnEngines(
  "restart: by itself where another policy wants as many people, and they are mailed",
  async (desk) => {
    await using smtp = await mailServer();
    const { ada, bob, cleo, plan, id } = await adaThenBob(desk);
    await call(desk, "POST", `/v1/people/${bob.id}/suspend`);
    const engine = new AlertEngine(desk.app.ctx);
    await engine.turn();
    assert.equal((await call(desk, "GET", path(id))).approval.steps[0].name, "First");
    await addMailTarget(desk);
    const dan = await addPerson(desk, "dan@example.org");
    const mails = mailEngine(desk, smtp, { now: () => clock.at });
    await deliver(mails);
    smtp.taken.length = 0;
    await setPolicy(desk, plan, [{ name: "New", need: 2, people: [ada.id, cleo.id, dan] }]);
    clock.at += 60_000;
    await engine.turn();
    const shown = await call(desk, "GET", path(id));
    assert.deepEqual(shown.approval.steps.map(({ name }: { name: string }) => name), ["New"]);
    assert.equal(shown.may_approve.length, 3);
    await deliver(mails);
    assert.deepEqual(smtp.taken.map(({ to }) => to[0]), ["dan@example.org"]);
    assert.match(smtp.taken[0]?.parsed.subject ?? "", /and now you can decide$/);
    const { data } = await call(
      desk,
      "GET",
      "/v1/audit-log?action=key_request.approval_restarted",
    );
    assert.deepEqual([data.length, data[0].actor], [1, "keydesk"]);
    // It is done once: both must say yes now.
    await engine.turn();
    assert.equal((await approve(desk, id, ada)).status, 200);
    const last = await approve(desk, id, cleo);
    assert.equal((await last.json()).state, "issued");
  },
  { clock },
);

testOnEngines(
  "restart: not by itself where filers may decide by then, nor where nobody lacks",
  async (desk) => {
    const { ada, bob, cleo, plan, id } = await adaThenBob(desk);
    const kept = await adaThenBob(desk);
    await setPolicy(desk, plan, [step("First", ada), step("Then", bob)], { not_by_filer: true });
    await call(desk, "DELETE", `/v1/people/${bob.id}`);
    const { id: by_user } = await registered(desk, "dev-late");
    const late = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", {
      body: { by_user, for_plan: plan },
    });
    await setPolicy(desk, plan, [{ name: "New", need: 2, people: [ada.id, cleo.id] }]);
    await setPolicy(desk, kept.plan, [{ name: "New", need: 2, people: [ada.id, cleo.id] }]);
    await new AlertEngine(desk.app.ctx).turn();
    const firstOf = async (request: string) =>
      (await call(desk, "GET", path(request))).approval.steps[0].name;
    assert.deepEqual(
      [await firstOf(id), await firstOf(late.id), await firstOf(kept.id)],
      ["New", "First", "First"],
    );
  },
  { clock },
);

testOnEngines(
  "restart: who narrows a person, or empties a role, is told what nobody can approve since",
  async (desk) => {
    const nothing = { plans: [], key_requests: [] };
    const { ada, bob, plan, id } = await adaThenBob(desk);
    const put = (permissions: string[]) =>
      call(desk, "PUT", `/v1/people/${ada.id}`, { name: "Ada", permissions });
    assert.deepEqual((await put([...approver, "certs:read"])).left_open, nothing);
    const narrowed = (await put(["portal:read"])).left_open;
    assert.deepEqual(narrowed.key_requests, [id]);
    assert.deepEqual(narrowed.plans.map((one: { plan: string }) => one.plan), [plan]);
    // What was open before is no news.
    assert.deepEqual((await call(desk, "POST", `/v1/people/${bob.id}/suspend`)).left_open, nothing);
    const role = await call(desk, "POST", "/v1/roles", {
      name: "Deciders",
      permissions: ["portal:read", "approve"],
    });
    const { id: dan } = await newPerson(desk, ["portal:read"], { name: "Dan" });
    await call(desk, "PUT", `/v1/people/${dan}`, { name: "Dan", role: role.id });
    const other = await planWith(desk, { rate: 100, per: 1 });
    await setPolicy(desk, other, [{ name: "Role", need: 1, role: role.id }]);
    const body = { name: "Deciders", permissions: ["portal:read"] };
    const emptied = await call(desk, "PUT", `/v1/roles/${role.id}`, body);
    assert.deepEqual(emptied.left_open.plans.map((one: { plan: string }) => one.plan), [other]);
    const foreign = await desk.otherOrganisation();
    const answer = await desk.send("GET", `/v1/people/${bob.id}/approvals`, {
      credential: foreign.admin,
    });
    await refused(answer, 404, "not_found");
  },
  { clock },
);
