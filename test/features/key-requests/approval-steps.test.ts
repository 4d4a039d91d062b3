/** Approvals in steps: who counts, what is granted, and that there is one key at the end. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { registered } from "../../support/developers.ts";
import { engineOf, outcomes, read as readJob, start, work } from "../../support/jobs.ts";
import { approvalOf, pathOf } from "../../support/key-requests.ts";
import { askedForPlan } from "../../support/offers.ts";
import { call, newPerson, testClock } from "../../support/people.ts";
import { auditRows, storedCredentials } from "../../support/stored.ts";
import { v1 } from "../../support/v1-requests.ts";
import { planWith } from "../../support/verification.ts";

const clock = testClock();
const approver = ["portal:read", "portal:write", "approve"] as const;
const path = (id: string) => `/v1/key-requests/${id}`;

/** People who may approve, by their names. */
async function people<Name extends string>(desk: TestDesk, ...names: Name[]) {
  const made: [Name, { id: string; credential: string }][] = [];
  for (const name of names) made.push([name, await newPerson(desk, approver, { name })]);
  // as: each name has its person.
  return Object.fromEntries(made) as Record<Name, { id: string; credential: string }>;
}

/** A plan under a policy, and a request for it that waits. */
async function waiting(desk: TestDesk, policy: Record<string, unknown>) {
  const plan = await planWith(desk, { rate: 100, per: 1 });
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: policy });
  const { id: by_user } = await registered(desk, `dev-${crypto.randomUUID()}`);
  const body = { by_user, for_plan: plan };
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
  return { id, plan, by_user };
}

const approve = (desk: TestDesk, id: string, { credential }: { credential: string }, body = {}) =>
  desk.send("POST", `${path(id)}/approve`, { credential, body });

/** What a call is told that must be refused. */
async function refusal(response: Response): Promise<string> {
  assert.equal(response.status, 400);
  return (await response.json()).detail;
}

testOnEngines("steps: the key is made by the last of them, and each is shown", async (desk) => {
  const { ann, bob, cleo } = await people(desk, "ann", "bob", "cleo");
  const steps = [
    { name: "Data", need: 1, people: [ann.id] },
    { name: "Platform", need: 2, people: [ann.id, bob.id, cleo.id] },
  ];
  const { id } = await waiting(desk, { outcome: "steps", steps });
  await assertFailure(await approve(desk, id, bob), "not_among_approvers", {
    message: "This key request waits for “Data”: by its policy you don't count in that step.",
  });
  const first = await (await approve(desk, id, ann, { reason: "Ours", message: "Hello" })).json();
  assert.deepEqual(first, {
    id,
    state: "pending",
    key_id: "",
    mask: "",
    key: null,
    expires_at: null,
    one_time_link: null,
    missing: "2 of “Platform”",
  });
  await assertFailure(await approve(desk, id, ann), "step_given", {
    message: "You have approved this key request already: 2 of “Platform” must approve.",
  });
  // deno-lint-ignore no-explicit-any -- the whole answer
  const shown = await call(desk, "GET", path(id)) as any;
  assert.equal(shown.state, "pending");
  assert.equal(shown.approval.present_step, 1);
  assert.deepEqual(shown.approval.steps[0].approved, [{
    id: ann.id,
    name: "ann",
    in_place_of: null,
    at: shown.approval.steps[0].approved[0].at,
    reason: "Ours",
    message: "Hello",
    granted: null,
  }]);
  assert.deepEqual(shown.may_approve.map(({ name }: { name: string }) => name), ["bob", "cleo"]);
  assert.deepEqual(await storedCredentials(desk), []);
  await (await approve(desk, id, bob)).json();
  const last = await (await approve(desk, id, cleo, { message: "Good luck" })).json();
  assert.equal(last.state, "issued");
  assert.equal((await storedCredentials(desk)).length, 1);
  const issued = await call(desk, "GET", path(id));
  assert.equal(issued.message, "Hello\n\nGood luck");
  assert.equal(issued.decided_by, cleo.id);
  // What was said stays when it is decided.
  assert.equal(issued.approval.steps[1].approved.length, 2);
  const actions = (await auditRows(desk)).filter(({ object_id }) => object_id === id)
    .map(({ action }) => action);
  assert.deepEqual(actions.filter((one) => one === "key_request.step_approved").length, 3);
}, { clock });

testOnEngines("steps: the older interface answers 400 and no key until the last", async (desk) => {
  const { ann, bob } = await people(desk, "ann", "bob");
  const { id } = await waiting(desk, { outcome: "steps", steps: [{ name: "Two", need: 2 }] });
  const older = async ({ credential }: { credential: string }) => {
    const response = await desk.send("PUT", approvalOf(id), { credential });
    return { status: response.status, ...await response.json() };
  };
  const first = await older(ann);
  assert.equal(first.status, 400);
  assert.equal(
    first.Message,
    "Your approval counts. There is no key yet: 1 of “Two” must approve.",
  );
  const again = await older(ann);
  assert.equal(again.status, 400);
  assert.match(again.Message, /already: 1 of “Two” must approve/);
  assert.deepEqual(await storedCredentials(desk), []);
  const last = await older(bob);
  assert.equal(last.status, 200);
  assert.ok(last.RawKey);
}, { clock });

testOnEngines("steps: the least of all counts, and an offer is made by the last", async (desk) => {
  const { ann, bob } = await people(desk, "ann", "bob");
  const { id, plan, ada } = await askedForPlan(desk);
  await desk.send("DELETE", path(id));
  const policy = { outcome: "steps", steps: [{ name: "Two", need: 2 }] };
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: policy });
  const ask = () =>
    succeed<{ id: string }>(desk, "POST", "/v1/key-requests", {
      body: { by_user: "dev-ada", for_plan: plan },
    });
  await desk.send("POST", `${path(id)}/decline`);
  const { id: asked } = await ask();
  const ends = "2040-06-01T00:00:00.000Z";
  const conditions = { addresses: ["192.0.2.0/24", "2001:db8::/32"] };
  await (await approve(desk, asked, ann, { conditions, expires_at: ends })).json();
  const elsewhere = { conditions: { addresses: ["198.51.100.0/24"] } };
  assert.match(await refusal(await approve(desk, asked, bob, elsewhere)), /approved before/);
  const less = { conditions: { addresses: ["192.0.2.128/25"], rate: { calls: 5, seconds: 1 } } };
  const init = { credential: bob.credential, body: less };
  const offered = await succeed<{ state: string; offer: { id: string; terms: unknown } }>(
    desk,
    "POST",
    `${path(asked)}/offer`,
    init,
  );
  assert.equal(offered.state, "pending");
  assert.deepEqual(offered.offer.terms, {
    addresses: ["192.0.2.128/25"],
    rate: { calls: 5, seconds: 1 },
    quota: null,
    review_at: null,
    expires_at: ends,
    plans: null,
  });
  await assertFailure(await approve(desk, asked, ann), "offer_waits");
  // Turned down, all of them are asked anew.
  const answer = { offer_id: offered.offer.id, turn_down: true };
  await ada.send("POST", `/v1/my/requests/${asked}/answer`, { body: answer });
  assert.equal((await call(desk, "GET", path(asked))).approval.present_step, 0);
  await (await approve(desk, asked, bob)).json();
  const issued = await (await approve(desk, asked, ann)).json();
  assert.equal(issued.state, "issued");
}, { clock });

testOnEngines("steps: accepted, the offer of all of them is the key", async (desk) => {
  const { ann, bob } = await people(desk, "ann", "bob");
  const { id: old, plan, ada } = await askedForPlan(desk);
  await desk.send("POST", `${path(old)}/decline`);
  const policy = { outcome: "steps", steps: [{ name: "Two", need: 2 }] };
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: policy });
  const body = { by_user: "dev-ada", for_plan: plan };
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
  const less = { conditions: { rate: { calls: 5, seconds: 1 } } };
  const init = { credential: ann.credential, body: less };
  const first = await succeed<{ offer: unknown }>(desk, "POST", `${path(id)}/offer`, init);
  assert.equal(first.offer, null);
  const last = await (await approve(desk, id, bob)).json();
  assert.deepEqual([last.state, last.missing], ["pending", ""]);
  const { offer } = await call(desk, "GET", path(id));
  const accepted = await ada.send("POST", `/v1/my/requests/${id}/accept`, {
    body: { offer_id: offer.id },
  });
  assert.equal(accepted.status, 200, await accepted.text());
  assert.equal((await storedCredentials(desk)).length, 1);
}, { clock });

testOnEngines("steps: an end that is over before the last of them leaves nothing", async (desk) => {
  const { ann, bob } = await people(desk, "ann", "bob");
  const two = { outcome: "steps", steps: [{ name: "Two", need: 2 }] };
  const { id } = await waiting(desk, two);
  const expires_at = new Date(clock.at + 60_000).toISOString();
  assert.equal((await approve(desk, id, ann, { expires_at })).status, 200);
  clock.at += 60_000;
  assert.equal((await (await approve(desk, id, bob)).json()).missing, "1 of “Two”");
  const last = await (await approve(desk, id, ann)).json();
  assert.deepEqual([last.state, last.expires_at], ["issued", null]);
}, { clock });

testOnEngines("policy: what waits keeps the one under which it was asked", async (desk) => {
  const { ann } = await people(desk, "ann");
  const { id, plan, by_user } = await waiting(desk, { outcome: "one" });
  const two = { outcome: "steps", steps: [{ name: "Two", need: 2 }] };
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: two });
  assert.equal((await (await approve(desk, id, ann)).json()).state, "issued");
  // Asking for something else is asking now.
  const other = await planWith(desk, { rate: 1, per: 1 });
  const body = { by_user, for_plan: other };
  const { id: edited } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body });
  const changed = { by_user, for_plan: plan };
  await succeed(desk, "PUT", pathOf(edited), { body: changed });
  assert.equal((await (await approve(desk, edited, ann)).json()).state, "pending");
  // And one that asks the same starts from the beginning.
  await succeed(desk, "PUT", pathOf(edited), { body: changed });
  assert.equal((await call(desk, "GET", path(edited))).approval.steps[0].missing, 2);
}, { clock });

testOnEngines("policy: another plan is no way around the policy of that plan", async (desk) => {
  const { plan } = await waiting(desk, { outcome: "steps", steps: [{ name: "One", need: 1 }] });
  const { by_user } = await waiting(desk, { outcome: "one" });
  const easy = await planWith(desk, { rate: 100, per: 1 });
  const asked = { body: { by_user, for_plan: easy } };
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", asked);
  const body = { conditions: { plans: [plan] } };
  const offer = await desk.send("POST", `${path(id)}/offer`, { body });
  assert.match(await refusal(offer), /has an approval policy of its own/);
}, { clock });

testOnEngines("own: nobody decides their own request, by whichever way", async (desk) => {
  const { ann, bob } = await people(desk, "ann", "bob");
  const { id: by_user } = await registered(desk, "dev-ann", "ann@example.org");
  const person = { name: "ann", permissions: [...approver], email: "Ann@Example.org" };
  await succeed(desk, "PUT", `/v1/people/${ann.id}`, { body: person });
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const asked = { body: { by_user, for_plan: plan } };
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", asked);
  const { credential } = ann;
  const less = { conditions: { rate: { calls: 5, seconds: 1 } } };
  await assertFailure(await approve(desk, id, ann), "own_request");
  await assertFailure(
    await desk.send("POST", `${path(id)}/offer`, { credential, body: less }),
    "own_request",
  );
  await assertFailure(
    await desk.send("POST", `${path(id)}/decline`, { credential }),
    "own_request",
  );
  assert.equal((await desk.send("PUT", approvalOf(id), { credential })).status, 403);
  const seen = [{ id, revision: (await call(desk, "GET", path(id))).revision }];
  const [many] = await v1.approveMany(desk, seen, { credential });
  assert.equal(many?.error?.code, "own_request");
  assert.deepEqual(await storedCredentials(desk), []);
  assert.equal((await (await approve(desk, id, bob)).json()).state, "issued");
}, { clock });

testOnEngines("own: who filed decides, unless the policy wants others", async (desk) => {
  const { ann, bob } = await people(desk, "ann", "bob");
  const { id: by_user } = await registered(desk, "dev-1");
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const ask = async () => {
    const body = { by_user, for_plan: plan };
    const init = { credential: ann.credential, body };
    return (await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", init)).id;
  };
  assert.equal((await (await approve(desk, await ask(), ann)).json()).state, "issued");
  const body = { outcome: "catalogue", not_by_filer: true };
  await succeed(desk, "PUT", "/v1/approval-policy", { body });
  const id = await ask();
  await assertFailure(await approve(desk, id, ann), "filed_by_you");
  const { credential } = ann;
  await assertFailure(
    await desk.send("POST", `${path(id)}/decline`, { credential }),
    "filed_by_you",
  );
  assert.equal((await (await approve(desk, id, bob)).json()).state, "issued");
}, { clock });

testOnEngines("policy: one that nobody can fulfil is refused, with who there is", async (desk) => {
  const { ann } = await people(desk, "ann");
  const put = (steps: unknown[]) =>
    desk.send("PUT", "/v1/approval-policy", { body: { outcome: "steps", steps } });
  assert.equal(
    await refusal(await put([{ name: "Ann's", need: 2, people: [ann.id] }])),
    "No people could fulfil this policy: steps[0].need: 2 of 1 who may approve: ann.",
  );
  // Each step has enough, and both together have not.
  const alone = { need: 1, people: [ann.id] };
  const twice = [{ name: "First", ...alone }, { name: "Second", ...alone }];
  assert.match(await refusal(await put(twice)), /a person counts in one step only/);
  await assertFailure(await put([{ name: "Nobody's", need: 1, role: "nothing" }]), "unknown_role");
  assert.equal((await put([{ name: "Strangers", need: 1, people: ["x"] }])).status, 400);
  const both = [{ name: "Anybody", need: 1 }, { name: "Ann", ...alone }];
  assert.equal((await put(both)).status, 200);
  const reader = await newPerson(desk, ["portal:read", "approve"]);
  const body = { outcome: "one" };
  const init = { body, credential: reader.credential };
  assert.equal((await desk.send("PUT", "/v1/approval-policy", init)).status, 403);
  const { data } = await call(desk, "GET", "/v1/audit-log?limit=50");
  const event = data.find(({ action }: { action: string }) => action === "approval_policy.updated");
  assert.equal(event.detail.after.outcome, "steps");
  assert.ok(event.detail.before);
}, { clock });

testOnEngines("steps: a job gives each request one, and no key", async (desk) => {
  const { ann, bob } = await people(desk, "ann", "bob");
  const { id } = await waiting(desk, { outcome: "steps", steps: [{ name: "Two", need: 2 }] });
  const job = async ({ credential }: { credential: string }) => {
    clock.at += 60 * 60 * 1000;
    const started = await start(desk, { kind: "approve", ids: [id] }, credential);
    await work(engineOf(desk));
    return outcomes(await readJob(desk, started.id));
  };
  const done = { state: "done", total: 1, done: 1, left_alone: 0, failed: 0 };
  assert.deepEqual(await job(ann), done);
  assert.deepEqual(await storedCredentials(desk), []);
  assert.equal((await call(desk, "GET", path(id))).approval.steps[0].missing, 1);
  // The same person counts once.
  assert.equal((await job(ann)).done, 0);
  assert.deepEqual(await job(bob), done);
  assert.equal((await storedCredentials(desk)).length, 1);
}, { clock });

testOnEngines("steps: a group of the same name elsewhere is another group", async (desk) => {
  const { ann } = await people(desk, "ann");
  const there = (await desk.otherOrganisation()).admin;
  const role = { name: "Platform", permissions: ["portal:read", "approve"] };
  const ours = await call(desk, "POST", "/v1/roles", role);
  const theirs = await call(desk, "POST", "/v1/roles", role, there);
  const steps = (id: string, people?: string[]) => ({
    outcome: "steps",
    steps: [{ name: "Platform", need: 1, ...people ? { people } : { role: id } }],
  });
  const put = (body: unknown) =>
    desk.send("PUT", "/v1/approval-policy", { credential: there, body });
  await assertFailure(await put(steps(ours.id)), "unknown_role");
  assert.match(await refusal(await put(steps("", [ann.id]))), /no person has the id/);
  // Whoever has a role of that name there is nobody here.
  const person = { name: "Ann", role: theirs.id };
  await call(desk, "POST", "/v1/people", person, there);
  const here = { body: steps(ours.id) };
  assert.match(
    await refusal(await desk.send("PUT", "/v1/approval-policy", here)),
    /1 of 0 who may approve: nobody/,
  );
  assert.equal((await put(steps(theirs.id))).status, 200);
  const { data } = await call(desk, "GET", "/v1/approval-policies");
  assert.deepEqual(data, [{
    plan: null,
    outcome: "catalogue",
    steps: [],
    not_by_filer: false,
    expires_after_days: null,
    remind_before_days: null,
    date_updated: null,
    revision: data[0].revision,
  }]);
}, { clock });

testOnEngines(
  "policy: what needs nobody is approved by whoever asks, and by nobody's yes",
  async (desk) => {
    const { id } = await waiting(desk, { outcome: "at_once" });
    const portal = await newPerson(desk, ["portal:read", "portal:write"]);
    const { credential } = portal;
    assert.equal((await desk.send("PUT", approvalOf(id), { credential })).status, 200);
    const { id: other } = await waiting(desk, { outcome: "one" });
    assert.equal((await desk.send("PUT", approvalOf(other), { credential })).status, 403);
  },
  { clock },
);

testOnEngines("steps: of all that happens at once, each counts once", async (desk) => {
  const all = await people(desk, "ann", "bob", "cleo");
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const body = { outcome: "steps", steps: [{ name: "A", need: 1 }, { name: "B", need: 2 }] };
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body });
  const { id: by_user } = await registered(desk, "dev-1");
  const asked = { by_user, for_plan: plan };
  for (let round = 0; round < 6; round++) {
    const init = { body: asked };
    const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", init);
    const before = (await storedCredentials(desk)).length;
    const each = Object.values(all);
    const calls: (() => Promise<Response>)[] = [
      ...each.map((one) => () => approve(desk, id, one)),
      ...each.map(({ credential }) => () => desk.send("PUT", approvalOf(id), { credential })),
    ];
    if (round > 1) {
      const credential = all.bob.credential;
      const less = { conditions: { rate: { calls: round, seconds: 1 } } };
      calls.splice(
        round,
        0,
        () => desk.send("POST", `${path(id)}/offer`, { credential, body: less }),
        () => desk.send("PUT", pathOf(id), { body: asked }),
      );
    }
    if (round > 3) calls.splice(round, 0, () => desk.send("POST", `${path(id)}/decline`));
    if (round === 5) calls.push(() => desk.send("DELETE", pathOf(id)));
    const answers = await Promise.all(calls.map((one) => one()));
    for (const { status } of answers) assert.ok(status < 500, String(status));
    const minted = (await storedCredentials(desk)).length - before;
    const after = await desk.send("GET", path(id));
    if (round < 2) assert.equal(minted, 1);
    if (after.status === 404) continue;
    const { state, approval } = await after.json();
    assert.equal(minted, state === "issued" ? 1 : 0);
    const given = approval.steps.flatMap(({ approved }: { approved: { id: string }[] }) =>
      approved.map((one) => one.id)
    );
    assert.equal(new Set(given).size, given.length);
    if (state === "issued") assert.equal(given.length, 3);
  }
}, { clock });

testOnEngines(
  "steps: one approver does not widen the addresses that several granted",
  async (desk) => {
    const { ann, bob } = await people(desk, "ann", "bob");
    const steps = [{ name: "Both", need: 2, people: [ann.id, bob.id] }];
    const { id } = await waiting(desk, { outcome: "steps", steps });
    const conditions = { addresses: ["198.51.100.0/24"] };
    assert.equal((await approve(desk, id, ann, { conditions })).status, 200);
    const { key_id } = await (await approve(desk, id, bob)).json();
    const set = (key: string, addresses: string[]) =>
      desk.send("PUT", `/v1/keys/${key}/addresses`, {
        credential: ann.credential,
        body: { addresses },
      });
    for (const wider of [["0.0.0.0/0"], ["198.51.100.7", "203.0.113.1"], ["198.51.0.0/16"]]) {
      await assertFailure(await set(key_id, wider), "beyond_granted");
    }
    assert.equal((await set(key_id, ["198.51.100.7"])).status, 200);
    // What they granted is there again, and no more of it is lost with the key.
    assert.equal((await set(key_id, conditions.addresses)).status, 200);
    const rotated = await succeed<{ key_id: string }>(desk, "POST", `/v1/keys/${key_id}/rotate`, {
      body: { overlap_seconds: 0 },
    });
    await assertFailure(await set(rotated.key_id, ["0.0.0.0/0"]), "beyond_granted");
  },
  { clock },
);
