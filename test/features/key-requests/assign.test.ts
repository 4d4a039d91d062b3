/** Key requests that wait are assigned to people of the team: a hint, and no lock. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { registered } from "../../support/developers.ts";
import { engineOf, file, read as readJob, start, work } from "../../support/jobs.ts";
import { addMailChannel, addPerson, mailEngine, mailServer } from "../../support/mail-server.ts";
import { newPerson, testClock } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";
import { auditRows } from "../../support/stored.ts";
import { planWith } from "../../support/verification.ts";

type Shown = {
  id: string;
  revision: string;
  state: string;
  assignee: { id: string; name: string } | null;
};

const clock = testClock();
const approver = ["portal:read", "approve"] as const;
const path = (id: string) => `/v1/key-requests/${id}`;

/** A plan, and what asks for it. */
async function asking(desk: TestDesk, policy?: Record<string, unknown>) {
  const plan = await planWith(desk, { rate: 100, per: 1 });
  if (policy) await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: policy });
  const ask = async (email?: string) => {
    const { id: by_user } = await registered(desk, `dev-${crypto.randomUUID()}`, email);
    const body = { by_user, for_plan: plan };
    return (await succeed<Shown>(desk, "POST", "/v1/key-requests", { body })).id;
  };
  return { plan, ask };
}

const send = (desk: TestDesk, id: string, body: object, credential?: string) =>
  desk.send("PUT", `${path(id)}/assignee`, { body, ...credential && { credential } });

const assign = (desk: TestDesk, id: string, body: object, credential?: string) =>
  succeed<Shown>(desk, "PUT", `${path(id)}/assignee`, { body, ...credential && { credential } });

const shown = (desk: TestDesk, id: string) => succeed<Shown>(desk, "GET", path(id));

async function listed(desk: TestDesk, query: string, credential?: string): Promise<string[]> {
  const { data } = await succeed<{ data: Shown[] }>(
    desk,
    "GET",
    `/v1/key-requests?${query}`,
    credential === undefined ? {} : { credential },
  );
  return data.map(({ id }) => id);
}

/** What the audit log says of assigning a request, the oldest first. */
async function told(desk: TestDesk, id: string) {
  return (await auditRows(desk))
    .filter(({ object_id, action }) => object_id === id && action.includes("assigned"))
    .map(({ action }) => action);
}

testOnEngines("assign: take, hand over and drop; the audit log tells each once", async (desk) => {
  const { ask } = await asking(desk);
  const id = await ask();
  const ann = await newPerson(desk, approver, { name: "Ann" });
  const bob = await newPerson(desk, approver, { name: "Bob" });
  const before = await shown(desk, id);
  assert.equal(before.assignee, null);
  const taken = await assign(desk, id, { assignee: "me", instead_of: "nobody" }, ann.credential);
  assert.deepEqual(taken.assignee, { id: ann.id, name: "Ann" });
  assert.equal(taken.revision, before.revision, "what was signed or seen counts as before");
  await assign(desk, id, { assignee: ann.id });
  await assign(desk, id, { assignee: bob.id, instead_of: "me" }, ann.credential);
  assert.deepEqual(await listed(desk, "assignee=me", bob.credential), [id]);
  assert.deepEqual(await listed(desk, "assignee=me", ann.credential), []);
  assert.deepEqual(await listed(desk, `assignee=${bob.id}`), [id]);
  await assign(desk, id, { assignee: "nobody" });
  assert.equal((await shown(desk, id)).assignee, null);
  assert.deepEqual(await told(desk, id), [
    "key_request.assigned",
    "key_request.assigned",
    "key_request.unassigned",
  ]);
}, { clock });

testOnEngines("assign: no lock, and over with the decision", async (desk) => {
  const { ask } = await asking(desk);
  const [one, other] = [await ask(), await ask()];
  const ann = await newPerson(desk, approver, { name: "Ann" });
  for (const id of [one, other]) await assign(desk, id, { assignee: ann.id });
  await succeed(desk, "POST", `${path(one)}/decline`, { body: {} });
  assert.equal((await shown(desk, one)).assignee, null);
  assert.deepEqual(await listed(desk, `assignee=${ann.id}`), [other]);
  const again = await send(desk, one, { assignee: "me" });
  assert.equal(again.headers.get("x-keydesk-error"), "already_decided");
  await again.body?.cancel();
  await succeed(desk, "POST", `${path(one)}/reopen`);
  assert.equal((await shown(desk, one)).assignee, null, "it begins anew");
  assert.deepEqual(await listed(desk, "assignee=nobody"), [one]);
  assert.deepEqual(await listed(desk, "assignee=nobody&state=declined"), []);
}, { clock });

testOnEngines(
  "assign: of two who take it at once one has it, and the other hears who",
  async (desk) => {
    const { ask } = await asking(desk);
    const id = await ask();
    const ann = await newPerson(desk, approver, { name: "Ann" });
    const bob = await newPerson(desk, approver, { name: "Bob" });
    const body = { assignee: "me", instead_of: "nobody" };
    const answers = await Promise.all(
      [ann, bob].map((one) => send(desk, id, body, one.credential)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    const { assignee } = await shown(desk, id);
    for (const answer of answers) {
      if (answer.status === 200) {
        await answer.body?.cancel();
        continue;
      }
      const message = `This key request is assigned to ${assignee?.name} by now.`;
      await assertFailure(answer, "assigned_meanwhile", { message });
    }
    assert.equal((await told(desk, id)).length, 1);
  },
  { clock },
);

testOnEngines("assign: only to people who may decide it", async (desk) => {
  const { ask } = await asking(desk);
  const id = await ask("cleo@example.org");
  const none = (who: string) => {
    const message = `assignee: no person who may decide this key request has the id ${who}`;
    return { message, errors: [message] };
  };
  const reader = await newPerson(desk, ["portal:read"], { name: "Reader" });
  const cleo = await addPerson(desk, "cleo@example.org");
  const outside = await addPerson(desk, "out@example.org");
  const other = await planWith(desk, { rate: 1, per: 1 });
  const scope = { plans: [other], apis: [], tags: [] };
  await succeed(desk, "PUT", `/v1/people/${outside}`, {
    body: { name: "out", permissions: [...approver], scope },
  });
  const suspended = await newPerson(desk, approver, { name: "Away" });
  await succeed(desk, "POST", `/v1/people/${suspended.id}/suspend`);
  const { admin } = await desk.otherOrganisation();
  const theirs = await succeed<{ data: { id: string }[] }>(desk, "GET", "/v1/people", {
    credential: admin,
  });
  const foreign = theirs.data[0]?.id ?? "";
  const ids = [reader.id, cleo, outside, suspended.id, foreign, "f".repeat(24)];
  for (const who of ids) {
    await assertFailure(await send(desk, id, { assignee: who }), "invalid_input", none(who));
  }
  await assertFailure(await send(desk, id, { assignee: "nobody" }, admin), "not_found");
  const { data } = await succeed<{ data: { id: string }[] }>(desk, "GET", `${path(id)}/team`);
  for (const who of ids) assert.ok(!data.some((one) => one.id === who));
  assert.equal((await shown(desk, id)).assignee, null);
}, { clock });

testOnEngines(
  "assign: the policy's own rules count, and whose it is assigns nothing",
  async (desk) => {
    const ann = await newPerson(desk, approver, { name: "Ann" });
    const bob = await newPerson(desk, approver, { name: "Bob" });
    const steps = [{ name: "Data", need: 1, people: [ann.id] }];
    const { ask } = await asking(desk, { outcome: "steps", steps });
    const id = await ask();
    await assertFailure(await send(desk, id, { assignee: bob.id }), "assignee_may_not_decide", {
      message: "By its policy Bob may not decide this key request.",
    });
    const { data } = await succeed<{ data: { id: string; may_decide: boolean }[] }>(
      desk,
      "GET",
      `${path(id)}/team`,
    );
    const may = Object.fromEntries(data.map((one) => [one.id, one.may_decide]));
    assert.deepEqual([may[ann.id], may[bob.id]], [true, false]);
    await assign(desk, id, { assignee: ann.id }, bob.credential);
    const own = await ask("dora@example.org");
    const dora = await addPerson(desk, "dora@example.org");
    const issued = await succeed<{ access_token: string }>(
      desk,
      "POST",
      `/v1/people/${dora}/access-tokens`,
      { body: { name: "laptop", deliver: "answer" } },
    );
    await assertFailure(
      await send(desk, own, { assignee: ann.id }, issued.access_token),
      "own_request",
    );
  },
  { clock },
);

testOnEngines(
  "assign: whoever leaves, or may approve no more, has nothing assigned",
  async (desk) => {
    const { ask } = await asking(desk);
    const ids = [await ask(), await ask(), await ask()];
    const ann = await newPerson(desk, approver, { name: "Ann" });
    const bob = await newPerson(desk, approver, { name: "Bob" });
    for (const id of ids) await assign(desk, id, { assignee: ann.id });
    await assign(desk, ids[2] ?? "", { assignee: bob.id });
    await succeed(desk, "DELETE", `/v1/people/${ann.id}`);
    await succeed(desk, "PUT", `/v1/people/${bob.id}`, {
      body: { name: "Bob", permissions: ["portal:read"] },
    });
    for (const id of ids) assert.equal((await shown(desk, id)).assignee, null);
    const nobody = await listed(desk, "assignee=nobody");
    assert.deepEqual(nobody.sort(), ids.sort());
  },
  { clock },
);

testOnEngines("assign: beside whoever leaves nothing stays assigned to them", async (desk) => {
  const { ask } = await asking(desk);
  for (let round = 0; round < 5; round++) {
    const id = await ask();
    const ann = await newPerson(desk, approver, { name: "Ann" });
    const answers = await Promise.all([
      send(desk, id, { assignee: ann.id }),
      desk.send("DELETE", `/v1/people/${ann.id}`),
    ]);
    for (const answer of answers) {
      assert.ok(answer.status === 200 || answer.status === 400, await answer.text());
      if (!answer.bodyUsed) await answer.body?.cancel();
    }
    assert.equal((await shown(desk, id)).assignee, null);
  }
}, { clock });

testOnEngines("assign: the assignee is mailed, unless they took it", async (desk) => {
  await using smtp = await mailServer();
  const { ask } = await asking(desk);
  const [one, other, third] = [await ask(), await ask(), await ask()];
  const tomas = await addPerson(desk, "tomas@example.org");
  const ann = await addPerson(desk, "ann@example.org");
  await addMailChannel(desk, { digest_minutes: 0 });
  const engine = mailEngine(desk, smtp);
  await assign(desk, one, { assignee: tomas });
  await assign(desk, other, { assignee: "me" });
  await deliver(engine);
  assert.deepEqual(smtp.taken.map(({ to }) => to), [["tomas@example.org"]]);
  assert.match(smtp.taken[0]?.parsed.subject ?? "", /^Assigned to you: .* asks for /);
  assert.match(smtp.taken[0]?.parsed.text ?? "", new RegExp(`/console/requests/${one}`));
  // What was handed on before it was told is told to the last one alone.
  await assign(desk, third, { assignee: tomas });
  await assign(desk, third, { assignee: ann });
  await deliver(engine);
  assert.deepEqual(smtp.taken.slice(1).map(({ to }) => to), [["ann@example.org"]]);
}, { clock });

testOnEngines(
  "assign: a mail names no request that its reader may see no more",
  async (desk) => {
    await using smtp = await mailServer();
    const within = await planWith(desk, { tags: ["team"] }, ["payments"]);
    const ask = async (for_plan: string, name: string) => {
      const { id: by_user } = await registered(desk, `dev-${name}`, `${name}@example.org`);
      const body = { by_user, for_plan };
      return (await succeed<Shown>(desk, "POST", "/v1/key-requests", { body })).id;
    };
    const { plan: outside } = await asking(desk);
    const ids = [await ask(within, "ada"), await ask(outside, "eve"), await ask(within, "tomas")];
    const tomas = await addPerson(desk, "someone@example.org");
    await addMailChannel(desk);
    for (const id of ids) await assign(desk, id, { assignee: tomas });
    const email = "tomas@example.org";
    const body = { name: "Tomas", role: "approver", scope: { tags: ["team"] }, email };
    await succeed(desk, "PUT", `/v1/people/${tomas}`, { body });
    const engine = mailEngine(desk, smtp);
    await deliver(engine);
    await deliver(engine);
    assert.deepEqual(smtp.taken.map(({ to }) => to), [[email]]);
    const { subject, text } = smtp.taken[0]?.parsed ?? {};
    assert.match(subject ?? "", /^Assigned to you: “ada@/);
    assert.doesNotMatch(`${subject} ${text}`, /eve|tomas@/);
  },
  { clock },
);

testOnEngines("assign: a job assigns what was selected, row by row", async (desk) => {
  const { ask } = await asking(desk);
  const ann = await newPerson(desk, approver, { name: "Ann" });
  const ids = [await ask(), await ask("ann2@example.org"), await ask()];
  await succeed(desk, "POST", `${path(ids[1] ?? "")}/decline`, { body: {} });
  const engine = engineOf(desk);
  const job = await start(desk, { kind: "assign", ids, assignee: ann.id });
  await work(engine);
  const { done, left_alone, failed, assignee } = await readJob(desk, job.id);
  assert.deepEqual([done, left_alone, failed], [2, 1, 0]);
  assert.deepEqual(assignee, { id: ann.id, name: "Ann" });
  assert.deepEqual((await listed(desk, `assignee=${ann.id}`)).sort(), [ids[0], ids[2]].sort());
  assert.match((await file(desk, "GET", `/v1/jobs/${job.id}/result`)).join("\n"), /assigned/);
  // What "me" means is said by whoever starts it.
  const mine = await newPerson(desk, approver, { name: "Mine" });
  await assign(desk, ids[0] ?? "", { assignee: mine.id });
  clock.at += 1000;
  clock.at += 1000;
  const body = { kind: "decline", filter: { assignee: "me" } };
  const { id: declining } = await start(desk, body, mine.credential);
  await work(engine);
  const declined = await readJob(desk, declining);
  assert.equal(declined.done, 1, JSON.stringify(declined));
  assert.deepEqual(await listed(desk, `assignee=${ann.id}`), [ids[2]]);
  const refuse = async (body: object, error: string) => {
    await assertFailure(await desk.send("POST", "/v1/jobs", { body }), "invalid_input", {
      message: error,
      errors: [error],
    });
  };
  await refuse({ kind: "assign", ids }, "assignee: needed by the kind assign");
  await refuse({ kind: "decline", ids, assignee: ann.id }, "assignee: goes with assign alone");
  await refuse(
    { kind: "assign", ids, assignee: "nobody", reason: "x" },
    "reason: goes with approve, decline, reopen, suspend_keys, resume_keys, revoke_keys, mute_certificates, deactivate_developers, reactivate_developers alone",
  );
}, { clock });
