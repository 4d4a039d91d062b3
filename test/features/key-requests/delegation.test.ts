/** Who gives steps in the place of somebody who is away: what they may, and what nobody gains. */
import assert from "node:assert/strict";
import type { Permission } from "../../../src/contract/permissions.ts";
import { succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { insider, ruleFor, takeTemporaryAccess } from "../../support/temporary-access.ts";
import { registered } from "../../support/developers.ts";
import { allItems, call, newPerson, testClock } from "../../support/people.ts";
import { bySession } from "../../support/sign-in.ts";
import { planWith } from "../../support/verification.ts";

const DAY_MS = 86_400_000;
const clock = testClock();
const path = (id: string) => `/v1/key-requests/${id}`;
const approver = ["portal:read", "portal:write", "approve"] as const;
type One = { id: string; credential: string };

const person = (desk: TestDesk, name: string, may: readonly Permission[] = approver) =>
  newPerson(desk, may, { name });

const inDays = (n: number) => new Date(clock.at + n * DAY_MS).toISOString();

const name = (desk: TestDesk, { credential }: One, delegate_id: string, until = inDays(10)) =>
  desk.send("PUT", "/v1/me/delegation", { credential, body: { delegate_id, until } });

const approve = (desk: TestDesk, id: string, { credential }: One) =>
  desk.send("POST", `${path(id)}/approve`, { credential });

async function refusedAs(response: Response, code: string): Promise<void> {
  assert.equal((await response.json()).code, code);
}

/** A request whose steps these are. */
async function waiting(
  desk: TestDesk,
  steps: Record<string, unknown>[],
  { by = desk.admin, ...policy }: { by?: string; not_by_filer?: boolean } = {},
) {
  const plan = await planWith(desk, { rate: 100, per: 1 });
  const body = { outcome: "steps", steps, ...policy };
  await succeed(desk, "PUT", `/v1/plans/${plan}/approval-policy`, { body });
  const { id: by_user, email } = await registered(desk, `dev-${crypto.randomUUID()}`);
  const { id } = await succeed<{ id: string }>(desk, "POST", "/v1/key-requests", {
    credential: by,
    body: { by_user, for_plan: plan },
  });
  return { id, plan, email };
}

testOnEngines(
  "delegation: a delegate gives the step of who is away, and is told as such",
  async (desk) => {
    const [ann, bob, cleo] = [
      await person(desk, "Ann"),
      await person(desk, "Bob"),
      await person(desk, "Cleo"),
    ];
    const { id } = await waiting(desk, [
      { name: "Data", need: 1, people: [ann.id] },
      { name: "Platform", need: 1, people: [ann.id, bob.id, cleo.id] },
    ]);
    await refusedAs(await approve(desk, id, bob), "not_among_approvers");
    const named = await (await name(desk, ann, bob.id)).json();
    assert.deepEqual(named.delegate, { id: bob.id, name: "Bob", until: inDays(10) });
    const mine = await call(desk, "GET", "/v1/me/delegation", undefined, bob.credential);
    assert.deepEqual(mine.decides_for.map((one: { name: string }) => one.name), ["Ann"]);
    const turn = async ({ credential }: One) =>
      (await allItems(desk, "/v1/key-requests?waits_for=me", credential)).map((one) => one.id);
    assert.deepEqual(await turn(bob), [id]);
    assert.deepEqual(await turn(cleo), []);
    const shown = await call(desk, "GET", path(id));
    assert.deepEqual(
      shown.may_approve.map((one: { name: string }) => one.name),
      ["Ann", "Bob"],
    );
    assert.equal((await approve(desk, id, bob)).status, 200);
    const { approval } = await call(desk, "GET", path(id));
    const [given] = approval.steps[0].approved;
    assert.deepEqual([given.name, given.in_place_of], ["Bob", { id: ann.id, name: "Ann" }]);
    const [event] = await allItems(desk, `/v1/audit-log?object_id=${id}`);
    assert.deepEqual([event.actor, event.detail.in_place_of], [bob.id, ann.id]);
    // One of both counts once: neither gives the next one.
    await refusedAs(await approve(desk, id, bob), "step_given");
    await refusedAs(await approve(desk, id, ann), "step_given");
    assert.equal((await (await approve(desk, id, cleo)).json()).state, "issued");
  },
  { clock },
);

testOnEngines(
  "delegation: it ends with its time, either's permission, or when they are back",
  async (desk) => {
    const [ann, bob] = [await person(desk, "Ann"), await person(desk, "Bob")];
    const { id } = await waiting(desk, [{ name: "Data", need: 1, people: [ann.id] }]);
    const refused = async () =>
      await refusedAs(await approve(desk, id, bob), "not_among_approvers");
    await name(desk, ann, bob.id, inDays(2));
    await succeed(desk, "POST", `/v1/people/${ann.id}/suspend`, { body: {} });
    await refused();
    await succeed(desk, "POST", `/v1/people/${ann.id}/resume`, { body: {} });
    const rights = (permissions: readonly string[]) =>
      succeed(desk, "PUT", `/v1/people/${ann.id}`, { body: { name: "Ann", permissions } });
    await rights(["portal:read"]);
    await refused();
    await rights(approver);
    clock.at += 2 * DAY_MS;
    await refused();
    await name(desk, ann, bob.id);
    const back = await desk.send("DELETE", "/v1/me/delegation", { credential: ann.credential });
    assert.equal((await back.json()).delegate, null);
    await refused();
    await name(desk, ann, bob.id);
    assert.equal((await (await approve(desk, id, bob)).json()).state, "issued");
  },
  { clock },
);

testOnEngines("delegation: it is not passed on, and widens nothing", async (desk) => {
  const [ann, bob, cleo] = [
    await person(desk, "Ann"),
    await person(desk, "Bob"),
    await person(desk, "Cleo"),
  ];
  const { id, plan } = await waiting(desk, [{ name: "Data", need: 1, people: [ann.id] }]);
  await name(desk, ann, bob.id);
  await name(desk, bob, cleo.id);
  await refusedAs(await approve(desk, id, cleo), "not_among_approvers");
  // Who is away may not decide it: then nobody may in their place.
  const other = await planWith(desk, { rate: 1, per: 1 });
  const scoped = (scope: { plans: string[]; apis: string[]; tags: string[] }) =>
    succeed(desk, "PUT", `/v1/people/${ann.id}`, {
      body: { name: "Ann", permissions: ["portal:read", "approve"], scope },
    });
  await scoped({ plans: [other], apis: [], tags: [] });
  await refusedAs(await approve(desk, id, bob), "not_among_approvers");
  await scoped({ plans: [plan], apis: [], tags: [] });
  assert.equal((await (await approve(desk, id, bob)).json()).state, "issued");
}, { clock });

testOnEngines("delegation: no plan is granted that who is away may not grant", async (desk) => {
  const [ann, bob] = [await person(desk, "Ann"), await person(desk, "Bob")];
  const { id, plan } = await waiting(desk, [{ name: "Data", need: 1, people: [ann.id] }]);
  const other = await planWith(desk, { rate: 5, per: 1 });
  await name(desk, ann, bob.id);
  const covering = (plans: string[]) =>
    succeed(desk, "PUT", `/v1/people/${ann.id}`, {
      body: { name: "Ann", permissions: approver, scope: { plans } },
    });
  await covering([plan]);
  const body = { conditions: { plans: [other] } };
  const offer = () => desk.send("POST", `${path(id)}/offer`, { credential: bob.credential, body });
  await refusedAs(await offer(), "not_among_approvers");
  await covering([plan, other]);
  const offered = await offer();
  assert.equal(offered.status, 200, await offered.text());
}, { clock });

testOnEngines(
  "delegation: never of a request that is either's own, or that they filed",
  async (desk) => {
    const [ann, bob] = [await person(desk, "Ann"), await person(desk, "Bob")];
    await name(desk, ann, bob.id);
    const steps = [{ name: "Data", need: 1, people: [ann.id] }];
    const { id, email } = await waiting(desk, steps);
    const addressed = (one: One, address: string | null, called: string) =>
      succeed(desk, "PUT", `/v1/people/${one.id}`, {
        body: { name: called, permissions: approver, email: address },
      });
    await addressed(ann, email, "Ann");
    await refusedAs(await approve(desk, id, bob), "not_among_approvers");
    await addressed(ann, null, "Ann");
    await addressed(bob, email, "Bob");
    await refusedAs(await approve(desk, id, bob), "own_request");
    const filed = await waiting(desk, steps, { by: ann.credential, not_by_filer: true });
    await refusedAs(await approve(desk, filed.id, bob), "not_among_approvers");
    const theirs = await waiting(desk, steps, { by: bob.credential, not_by_filer: true });
    await refusedAs(await approve(desk, theirs.id, bob), "filed_by_you");
  },
  { clock },
);

testOnEngines("delegation: of both at the same moment one counts", async (desk) => {
  const [ann, bob, cleo] = [
    await person(desk, "Ann"),
    await person(desk, "Bob"),
    await person(desk, "Cleo"),
  ];
  await name(desk, ann, bob.id);
  for (let n = 0; n < 8; n++) {
    const { id } = await waiting(desk, [{ name: "Two", need: 2, people: [ann.id, cleo.id] }]);
    const answers = await Promise.all([approve(desk, id, ann), approve(desk, id, bob)]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const { approval } = await call(desk, "GET", path(id));
    assert.equal(approval.steps[0].approved.length, 1);
  }
}, { clock });

testOnEngines("delegation: who may be named, and for how long", async (desk) => {
  const [ann, bob] = [await person(desk, "Ann"), await person(desk, "Bob")];
  const reader = await person(desk, "Rita", ["portal:read"]);
  const refused = async (delegate_id: string, until?: string) => {
    const answer = await name(desk, ann, delegate_id, until);
    assert.deepEqual([answer.status, (await answer.json()).code], [400, "invalid_input"]);
  };
  await refused(ann.id);
  await refused(reader.id);
  await refused("65b0c1d2e3f4a5b6c7d8e9f0");
  await refused(bob.id, inDays(0));
  const { delegate } = await (await name(desk, ann, bob.id, inDays(400))).json();
  assert.equal(delegate.until, inDays(90));
  await refusedAs(await name(desk, reader, bob.id), "access_denied");
}, { clock });

testOnEngines(
  "delegation: who may approve in temporary access alone gives nobody's step",
  async (desk) => {
    const ann = await person(desk, "Ann");
    const bob = await insider(desk, { name: "Bob", permissions: approver });
    const { id } = await waiting(desk, [{ name: "Data", need: 1, people: [ann.id] }]);
    const until = new Date(Date.now() + DAY_MS).toISOString();
    assert.equal((await name(desk, ann, bob.id, until)).status, 200);
    await succeed(desk, "PUT", `/v1/people/${bob.id}`, {
      body: { name: "Bob", permissions: ["portal:read"] },
    });
    await takeTemporaryAccess(desk, bob, await ruleFor(desk, [bob.id]));
    const turn = await bySession(desk, bob.browser, "GET", "/v1/key-requests?waits_for=me");
    assert.deepEqual((await turn.json()).data, []);
    await refusedAs(
      await bySession(desk, bob.browser, "POST", `${path(id)}/approve`, {}),
      "not_among_approvers",
    );
  },
);

testOnEngines("delegation: a call that is sent again changes nothing", async (desk) => {
  const [ann, bob] = [await person(desk, "Ann"), await person(desk, "Bob")];
  const told = async () =>
    (await allItems(desk, `/v1/audit-log?object_id=${bob.id}`))
      .filter(({ action }) => action === "person.made_delegate").length;
  const until = inDays(10);
  for (let n = 0; n < 3; n++) assert.equal((await name(desk, ann, bob.id, until)).status, 200);
  assert.equal(await told(), 1);
  // One that lasts longer is another.
  assert.equal((await name(desk, ann, bob.id, inDays(11))).status, 200);
  assert.equal(await told(), 2);
  // For as long as there is, a moment later: the same.
  const most = inDays(400);
  await name(desk, ann, bob.id, most);
  clock.at += 60_000;
  await name(desk, ann, bob.id, most);
  assert.equal(await told(), 3);
}, { clock });
