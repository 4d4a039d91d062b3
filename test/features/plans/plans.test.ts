/** Plans by their own endpoints, which the wire calls policies. */
import assert from "node:assert/strict";
import { invalidationsAfter } from "../../../src/changes/invalidations.store.ts";
import { findPlanRules } from "../../../src/features/plans/plans.store.ts";
import { assertAnswer, assertFailure, assertInvalid } from "../../support/answers.ts";
import { addPlan, pathTo, POLICIES, type ShownPlan, succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import type { Sent } from "../../support/key-requests.ts";

const FULL = {
  name: "Weather",
  active: true,
  is_inactive: false,
  rate: 2.5,
  per: 60,
  quota_max: 1000,
  quota_renewal_rate: 3600,
  access_rights: { "api-1": { api_id: "api-1", versions: ["v1"] }, "api-2": {} },
  auth_type: "basic",
  tags: ["a", "b"],
  key_expires_in: 86400,
};

const get = (desk: TestDesk, id: string) => succeed<ShownPlan>(desk, "GET", pathTo(POLICIES, id));
const put = (desk: TestDesk, id: string, body: Sent) =>
  desk.send("PUT", pathTo(POLICIES, id), { body });
const rules = (desk: TestDesk, id: string) =>
  findPlanRules(desk.app.ctx.storage.reader, desk.org_id, id);

testOnEngines("plans: what is sent is shown, and verification gets its rules", async (desk) => {
  const id = await addPlan(desk, FULL);
  assert.match(id, /^[0-9a-f]{24}$/);
  assert.deepEqual(await get(desk, id), { _id: id, id, ...FULL });
  const { is_inactive: _, ...rest } = FULL;
  const access_rights = ["api-1", "api-2"];
  const scope = { access: true, rate: true, quota: true };
  const beside = { deleted: false, decidedHere: false, expiryAppliesTo: "key" };
  const expected = { ...rest, ...beside, id, access_rights, scope };
  assert.deepEqual(await rules(desk, id), expected);
});

testOnEngines("plans: a name is enough, and everything else is without limit", async (desk) => {
  const _id = await addPlan(desk, { id: "plan-1" });
  assert.match(_id, /^[0-9a-f]{24}$/);
  assert.deepEqual(await get(desk, _id), {
    _id,
    id: "plan-1",
    name: "Weather",
    active: true,
    is_inactive: false,
    rate: 0,
    per: 0,
    quota_max: -1,
    quota_renewal_rate: 0,
    access_rights: {},
    auth_type: "authToken",
    tags: [],
    key_expires_in: 0,
  });
});

testOnEngines("plans: a name is given once, an id for ever", async (desk) => {
  await addPlan(desk, { id: "plan-1" });
  const other = await addPlan(desk, { id: "plan-2", name: "Maps" });
  // -1 is no limit, and 0 is one.
  for (const body of [{ rate: -1 }, { quota_max: -1, quota_renewal_rate: -1 }, { rate: 0 }]) {
    await addPlan(desk, { name: JSON.stringify(body), ...body });
  }
  const post = (body: Sent) => desk.send("POST", POLICIES, { body });
  await assertFailure(await post({ name: "Weather" }), "plan_name_taken");
  await assertFailure(await put(desk, other, { name: "Weather" }), "plan_name_taken");
  await assertFailure(await post({ name: "New", _id: "plan-1" }), "plan_id_taken");
  assert.equal((await put(desk, other, { name: "Maps" })).status, 200);
  const { admin: credential } = await desk.otherOrganisation();
  const theirs = { body: { id: "plan-1", name: "Weather" }, credential };
  assert.equal((await desk.send("POST", POLICIES, theirs)).status, 200);
});

testOnEngines("plans: of many at once with one name, one is added or renamed", async (desk) => {
  const added = await Promise.all(
    Array.from({ length: 8 }, () => desk.send("POST", POLICIES, { body: { name: "Weather" } })),
  );
  assert.equal(added.filter((answer) => answer.status === 200).length, 1);
  const ids = [];
  for (let n = 0; n < 6; n++) ids.push(await addPlan(desk, { name: `${n}` }));
  const renamed = await Promise.all(ids.map((id) => put(desk, id, { name: "Maps" })));
  const codes = renamed.map((answer) => answer.headers.get("x-keydesk-error"));
  assert.deepEqual(codes.sort(), [null, ...Array(5).fill("plan_name_taken")]);
});

testOnEngines(
  "plans: a change keeps what it leaves out, and verification hears of it",
  async (desk) => {
    const id = await addPlan(desk, { ...FULL, active: false, is_inactive: true });
    const response = await put(desk, id, { quota_max: 5, id: "other", name: "Renamed" });
    await assertAnswer(response, { Status: "OK", Message: "Data updated", Meta: null });
    const changed = {
      _id: id,
      id,
      ...FULL,
      active: false,
      is_inactive: true,
      quota_max: 5,
      name: "Renamed",
    };
    assert.deepEqual(await get(desk, id), changed);
    const { reader } = desk.app.ctx.storage;
    const told = await invalidationsAfter(reader, 0);
    // Of its creation and of the change.
    const both = [["plan", id], ["plan", id]];
    assert.deepEqual(told.map(({ kind, object_id }) => [kind, object_id]), both);
    await assertInvalid(await put(desk, id, { per: 0 }), "per: expected more than 0 where rate is");
    assert.equal((await invalidationsAfter(reader, 0)).length, 2);
  },
);

testOnEngines(
  "plans: a deleted one is in no answer, its rules say so, its name is free",
  async (desk) => {
    const id = await addPlan(desk, FULL);
    const response = await desk.send("DELETE", pathTo(POLICIES, id));
    await assertAnswer(response, { Status: "OK", Message: "Data deleted", Meta: null });
    await assertFailure(await desk.send("GET", pathTo(POLICIES, id)), "not_found");
    await assertFailure(await put(desk, id, FULL), "not_found");
    await assertFailure(await desk.send("DELETE", pathTo(POLICIES, id)), "not_found_for_deletion");
    for (const query of ["", "?p=1"]) {
      assert.deepEqual(await succeed(desk, "GET", POLICIES + query), { Data: [], Pages: 0 });
    }
    const kept = await rules(desk, id);
    assert.deepEqual([kept?.deleted, kept?.quota_max, kept?.rate], [true, 1000, 2.5]);
    const told = await invalidationsAfter(desk.app.ctx.storage.reader, 0);
    assert.deepEqual(told.map(({ object_id }) => object_id), [id, id]);
    const again = { body: { id, name: "Back" } };
    await assertFailure(await desk.send("POST", POLICIES, again), "plan_id_taken");
    assert.notEqual(await addPlan(desk, FULL), id);
  },
);

testOnEngines("plans: listed newest first, by pages and whole", async (desk) => {
  const ids = [];
  for (let n = 0; n < 5; n++) ids.unshift(await addPlan(desk, { name: `${n}` }));
  const page = async (query: string) => {
    const path = `${POLICIES}${query}`;
    const { Data, Pages } = await succeed<{ Data: ShownPlan[]; Pages: number }>(desk, "GET", path);
    return [Data.map((plan) => plan.id), Pages];
  };
  const sorted = await page("");
  assert.deepEqual([[...sorted[0] as string[]].sort(), sorted[1]], [[...ids].sort(), 1]);
  const pages = [];
  for (const p of [1, 2, 3]) {
    const [some, count] = await page(`?p=${p}`);
    assert.equal(count, 3);
    pages.push(...some as string[]);
  }
  assert.deepEqual(pages, sorted[0]);
  assert.deepEqual(await page("?p=4"), [[], 3]);
}, { environment: { KEYDESK_PAGE_SIZE: "2" } });
