/** Ways around those who decide: each ends at a decision that was not theirs. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages, registered, signInByCode } from "../../support/developers.ts";
import { engineOf, work } from "../../support/jobs.ts";
import { askedForPlan } from "../../support/offers.ts";
import { call, newPerson, testClock } from "../../support/people.ts";
import { storedCredentials } from "../../support/stored.ts";
import { planWith } from "../../support/verification.ts";

const approver = ["portal:read", "portal:write", "approve"] as const;
const DAY_MS = 86_400_000;
const FAR = "2099-01-01T00:00:00.000Z";
const two = { outcome: "steps", steps: [{ name: "Two", need: 2 }] };
const less = { conditions: { rate: { calls: 5, seconds: 1 } } };

type Who = { credential: string };
const path = (id: string) => `/v1/key-requests/${id}`;
const approve = (desk: TestDesk, id: string, { credential }: Who, body = {}) =>
  desk.send("POST", `${path(id)}/approve`, { credential, body });
const offer = (desk: TestDesk, id: string, { credential }: Who, body: unknown) =>
  desk.send("POST", `${path(id)}/offer`, { credential, body });
const person = (desk: TestDesk, name: string) => newPerson(desk, approver, { name });
const underPolicy = (desk: TestDesk, plan: string, policy: unknown) =>
  succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body: policy });
const codeOf = async (response: Response) => {
  const { code } = await response.json();
  return [response.status, code];
};

async function ask(desk: TestDesk, body: Record<string, unknown>): Promise<string> {
  return (await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", { body })).id;
}

/** Somebody who decides about these plans alone. */
async function scoped(desk: TestDesk, plans: string[]): Promise<Who> {
  const body = { name: "Pia", role: "approver", scope: { plans } };
  const { id } = await call(desk, "POST", "/v1/people", body);
  const token = { name: "laptop", deliver: "answer" };
  const { access_token: credential } = await call(
    desk,
    "POST",
    `/v1/people/${id}/access-tokens`,
    token,
  );
  return { credential };
}

testOnEngines("around a scope: a key of foreign plans has its end and its name", async (desk) => {
  const mine = await planWith(desk, {}, ["payments"]);
  const foreign = await planWith(desk, {}, ["other"]);
  const { id: by_user } = await registered(desk, "dev-ada");
  const first = await ask(desk, { by_user, for_plan: foreign });
  const { key_id } = await call(desk, "POST", `${path(first)}/approve`, {});
  const pia = await scoped(desk, [mine]);
  const more = await ask(desk, { by_user, key: key_id, for_plan: mine });
  for (const body of [{ expires_at: FAR }, { name: "Hers" }]) {
    assert.deepEqual(await codeOf(await approve(desk, more, pia, body)), [403, "access_denied"]);
  }
  const given = await approve(desk, more, pia);
  assert.equal(given.status, 200, await given.text());
  const key = await call(desk, "GET", `/v1/keys/${key_id}`);
  assert.deepEqual([key.expires_at, key.name], [null, ""]);
});

testOnEngines("around a scope: no job hands over a key that is outside by now", async (desk) => {
  const mine = await planWith(desk, {}, ["payments"]);
  const foreign = await planWith(desk, {}, ["other"]);
  const { id: by_user } = await registered(desk, "dev-ada");
  const asked = await ask(desk, { by_user, for_plan: mine });
  const { credential } = await scoped(desk, [mine]);
  const job = await call(desk, "POST", "/v1/jobs", { kind: "approve", ids: [asked] }, credential);
  await work(engineOf(desk));
  const [{ key_id }] = (await call(desk, "GET", "/v1/keys")).data;
  const result = () => desk.send("GET", `/v1/jobs/${job.id}/result`, { credential });
  const links = () => desk.send("POST", `/v1/jobs/${job.id}/one-time-links/csv`, { credential });
  const movedTo = (plan: string) =>
    call(desk, "PUT", `/v1/keys/${key_id}/plans`, { plans: [plan] });
  assert.match(await (await result()).text(), new RegExp(`approved,,${key_id}`));
  await movedTo(foreign);
  for (const read of [result, links]) await assertFailure(await read(), "not_found");
  await movedTo(mine);
  const taken = await links();
  assert.match(await taken.text(), new RegExp(asked));
});

testOnEngines("around a scope: what somebody began before they had it is over", async (desk) => {
  const ann = await person(desk, "Ann");
  const { id, other, ada } = await askedForPlan(desk);
  const made = await succeed<{ offer: { id: string } }>(desk, "POST", `${path(id)}/offer`, {
    credential: ann.credential,
    body: less,
  });
  const { id: by_user } = await registered(desk, "dev-bob");
  const { for_plan } = await call(desk, "GET", path(id));
  const decided = await ask(desk, { by_user, for_plan });
  const job = await call(
    desk,
    "POST",
    "/v1/jobs",
    { kind: "approve", ids: [decided] },
    ann.credential,
  );
  await work(engineOf(desk));
  const links = `/v1/jobs/${job.id}/one-time-links/csv`;
  const narrowed = { name: "Ann", permissions: approver, scope: { plans: [other] } };
  await call(desk, "PUT", `/v1/people/${ann.id}`, narrowed);
  const accepted = await ada.send("POST", `/v1/my/requests/${id}/accept`, {
    body: { offer_id: made.offer.id },
  });
  assert.deepEqual(await codeOf(accepted), [409, "no_offer"]);
  // Whoever verifies from memory hears of it within a second.
  const token = { name: "again", deliver: "answer" };
  const { access_token: credential } = await call(
    desk,
    "POST",
    `/v1/people/${ann.id}/access-tokens`,
    token,
  );
  for (const [method, at] of [["GET", `/v1/jobs/${job.id}/result`], ["POST", links]] as const) {
    await assertFailure(await desk.send(method, at, { credential }), "not_found");
  }
});

testOnEngines(
  "around a scope: nobody gets a plan that its offerer may grant no more",
  async (desk) => {
    const ann = await person(desk, "Ann");
    const { id, plan, other, ada } = await askedForPlan(desk);
    const made = await offer(desk, id, ann, { conditions: { plans: [other] } });
    const { offer: { id: offer_id } } = await made.json();
    const covering = async (plans: string[]) => {
      const body = { name: "Ann", permissions: approver, scope: { plans } };
      await call(desk, "PUT", `/v1/people/${ann.id}`, body);
      return await ada.send("POST", `/v1/my/requests/${id}/accept`, { body: { offer_id } });
    };
    assert.deepEqual(await codeOf(await covering([plan])), [409, "no_offer"]);
    assert.deepEqual(await storedCredentials(desk), []);
    assert.equal((await covering([plan, other])).status, 200);
  },
);

for (const order of ["approved, then offered", "offered, then approved"]) {
  testOnEngines(`around steps: another plan takes two who grant it, ${order}`, async (desk) => {
    const [ann, bob] = [await person(desk, "Ann"), await person(desk, "Bob")];
    const { id: old, plan, other } = await askedForPlan(desk);
    await desk.send("POST", `${path(old)}/decline`);
    for (const one of [plan, other]) await underPolicy(desk, one, two);
    const id = await ask(desk, { by_user: "dev-ada", for_plan: plan });
    const body = { conditions: { plans: [other] } };
    const isOffered = order.startsWith("offered");
    const first = isOffered ? await offer(desk, id, ann, body) : await approve(desk, id, ann);
    assert.equal(first.status, 200, await first.text());
    const second = isOffered ? await approve(desk, id, bob) : await offer(desk, id, bob, body);
    assert.deepEqual(await codeOf(second), [400, "invalid_input"]);
    assert.equal((await call(desk, "GET", path(id))).offer, null);
    assert.deepEqual(await storedCredentials(desk), []);
  });
}

testOnEngines(
  "around steps: who holds no approval moves nobody into a role of them",
  async (desk) => {
    const weak = await newPerson(desk, ["admin", "portal:read"], { name: "Weak" });
    const terms = { name: "Security", permissions: approver };
    const role = await call(desk, "POST", "/v1/roles", terms);
    const ann = await person(desk, "Ann");
    const sec = await call(desk, "POST", "/v1/people", { name: "Sec", role: role.id });
    const plan = await planWith(desk, { rate: 1, per: 1 });
    const steps = [{ name: "Security", need: 1, role: role.id }];
    await underPolicy(desk, plan, { outcome: "steps", steps });
    const { credential } = weak;
    for (
      const [id, body] of [[ann.id, { name: "Ann", role: role.id }], [sec.id, {
        name: "Sec",
        permissions: approver,
      }]] as const
    ) {
      const refused = await desk.send("PUT", `/v1/people/${id}`, { credential, body });
      assert.equal(refused.status, 403, await refused.text());
    }
    // Nor is a role removed that a policy goes by.
    await call(desk, "PUT", `/v1/people/${sec.id}`, { name: "Sec", permissions: approver });
    const removed = await desk.send("DELETE", `/v1/roles/${role.id}`);
    assert.deepEqual(await codeOf(removed), [409, "role_in_use"]);
  },
);

testOnEngines(
  "around both: what needs nobody needs somebody on terms of one's own",
  async (desk) => {
    const ann = await person(desk, "Ann");
    const { id: by_user } = await registered(desk, "dev-ann", "ann@example.org");
    const body = { name: "Ann", permissions: approver, email: "ann@example.org" };
    await call(desk, "PUT", `/v1/people/${ann.id}`, body);
    const plan = await planWith(desk, { rate: 100, per: 1, key_expires_in: 86_400 });
    await underPolicy(desk, plan, { outcome: "at_once", not_by_filer: true });
    const id = await ask(desk, { by_user, for_plan: plan });
    const chosen = await approve(desk, id, ann, { expires_at: FAR });
    assert.deepEqual(await codeOf(chosen), [403, "own_request"]);
    assert.equal((await approve(desk, id, ann)).status, 200);
  },
);

const clock = testClock();

testOnEngines(
  "around steps: after an offer that is over it is shown who may begin",
  async (desk) => {
    const [ann, bob] = [await person(desk, "Ann"), await person(desk, "Bob")];
    const { id: old, plan } = await askedForPlan(desk);
    await desk.send("POST", `${path(old)}/decline`);
    await underPolicy(desk, plan, two);
    const id = await ask(desk, { by_user: "dev-ada", for_plan: plan });
    await (await offer(desk, id, ann, less)).body?.cancel();
    await (await approve(desk, id, bob)).body?.cancel();
    const present = async () => {
      const { approval, may_approve } = await call(desk, "GET", path(id));
      const [{ missing }] = approval.steps;
      return [
        approval.present_step,
        missing,
        may_approve.some((one: Who & { id: string }) => one.id === ann.id),
      ];
    };
    assert.deepEqual(await present(), [null, 0, false]);
    clock.at += 8 * DAY_MS;
    assert.deepEqual(await present(), [0, 2, true]);
  },
  { clock },
);

testOnEngines(
  "around an end: a rotated key, and one of other plans, live no longer",
  async (desk) => {
    await openPages(desk);
    const plan = await planWith(desk, {}, ["tides"]);
    const other = await planWith(desk, {}, ["winds"]);
    const { id, email } = await registered(desk, "dev-ada");
    const ada = await signInByCode(desk, email);
    const inDays = (days: number) =>
      new Date(desk.app.ctx.clock.now() + days * DAY_MS).toISOString();
    const asked = async () => {
      const body = { plans: [plan], expires_at: inDays(10) };
      const { key_id } = await call(desk, "POST", `/v1/developers/${id}/keys`, body);
      const made = await ada.get<{ id: string }>("POST", `/v1/my/keys/${key_id}/later-end`, {
        until: inDays(40),
      });
      return { key_id, request: made.id };
    };
    const rotated = await asked();
    await ada.get("POST", `/v1/my/keys/${rotated.key_id}/rotate`, { overlap_seconds: 3600 });
    const changed = await asked();
    await call(desk, "PUT", `/v1/keys/${changed.key_id}/plans`, { plans: [other] });
    for (const { key_id, request } of [rotated, changed]) {
      const { expires_at } = await call(desk, "GET", `/v1/keys/${key_id}`);
      const answer = await approve(desk, request, { credential: desk.admin });
      assert.deepEqual(await codeOf(answer), [400, "unknown_key"]);
      assert.equal((await call(desk, "GET", `/v1/keys/${key_id}`)).expires_at, expires_at);
    }
  },
);

testOnEngines("jobs: a step that is given is told as one, and not as a key", async (desk) => {
  const ann = await person(desk, "Ann");
  const plan = await planWith(desk, { rate: 100, per: 1 });
  await underPolicy(desk, plan, two);
  const { id: by_user } = await registered(desk, "dev-ada");
  const id = await ask(desk, { by_user, for_plan: plan });
  const body = { kind: "approve", ids: [id] };
  const job = await call(desk, "POST", "/v1/jobs", body, ann.credential);
  await work(engineOf(desk));
  const { credential } = ann;
  const result = await desk.send("GET", `/v1/jobs/${job.id}/result`, { credential });
  assert.match(await result.text(), new RegExp(`^${id},dev-ada,[^,]*,${plan},step,`, "m"));
});
