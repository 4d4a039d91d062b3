/** A plan has two ids in one space, and either finds it everywhere. */
import assert from "node:assert/strict";
import { planIdsOf } from "../../../src/features/plans/plan-ids.store.ts";
import { assertFailure } from "../../support/answers.ts";
import { clientPlans } from "../../support/client-plans.ts";
import {
  addPlan,
  CATALOGUE,
  pathTo,
  POLICIES,
  post,
  readDeveloper,
  register,
  type ShownPlan,
  succeed,
} from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { approve, create, createAndRead, type Sent } from "../../support/key-requests.ts";
import { allKeyIds, issue, readKey } from "../../support/keys.ts";
import { heeds, outcome, planWith, valid } from "../../support/verification.ts";

const HEX = "5ead7120575961000181867f";
const OTHER = "5ead71205759610001818680";
const get = (desk: TestDesk, id: string) => succeed<ShownPlan>(desk, "GET", pathTo(POLICIES, id));
const send = (desk: TestDesk, body: Sent) => desk.send("POST", POLICIES, { body });

interface V1Plan {
  _id: string;
  id: string;
  keys: number;
  pending_requests: number;
  approval: string;
}
const v1 = (desk: TestDesk, id: string) => succeed<V1Plan>(desk, "GET", `/v1/plans/${id}`);

testOnEngines("plan ids: what a client sends is kept, and the message is `_id`", async (desk) => {
  const cases: [Sent, { _id?: string; id?: string }][] = [
    [{ _id: HEX, id: "gold" }, { _id: HEX, id: "gold" }],
    [{ _id: OTHER }, { _id: OTHER, id: OTHER }],
    [{ id: "5ead71205759610001818681" }, { _id: "5ead71205759610001818681" }],
    [{ id: "silver" }, { id: "silver" }],
    [{ _id: "bronze" }, { id: "bronze" }],
    [{ _id: "ABCDEF205759610001818688", id: "" }, { id: "ABCDEF205759610001818688" }],
    [{ _id: null, id: null }, {}],
  ];
  for (const [sent, expected] of cases) {
    const message = await addPlan(desk, { name: JSON.stringify(sent), ...sent });
    assert.match(message, /^[0-9a-f]{24}$/);
    const { _id, id } = await get(desk, message);
    assert.equal(_id, message);
    assert.deepEqual({ _id, id }, { _id, id: _id, ...expected });
    assert.deepEqual(await get(desk, id), await get(desk, _id));
    const ids = await planIdsOf(desk.app.ctx.storage.reader, desk.org_id, [id]);
    assert.equal(ids.get(id)?._id, _id);
  }
});

testOnEngines(
  "plan ids: one space for both, deleted plans included, in each organisation",
  async (desk) => {
    await addPlan(desk, { _id: HEX, id: "gold" });
    const taken: Sent[] = [{ id: "gold" }, { id: HEX }, { _id: HEX }, { _id: OTHER, id: HEX }];
    const refuseAll = async () => {
      for (const ids of taken) {
        await assertFailure(await send(desk, { name: "New", ...ids }), "plan_id_taken");
      }
    };
    await refuseAll();
    assert.equal((await desk.send("DELETE", pathTo(POLICIES, "gold"))).status, 200);
    await refuseAll();
    await assertFailure(await desk.send("GET", pathTo(POLICIES, HEX)), "not_found");
    const { admin: credential } = await desk.otherOrganisation();
    const theirs = { body: { name: "Theirs", _id: HEX, id: "gold" }, credential };
    assert.equal((await desk.send("POST", POLICIES, theirs)).status, 200);
    await assertFailure(await desk.send("GET", pathTo(POLICIES, "gold")), "not_found");
    // A refused plan takes no id along.
    await addPlan(desk, { name: "New", _id: OTHER });
  },
);

testOnEngines("plan ids: of many at once with crossing ids, one is added", async (desk) => {
  const ids = [{ _id: HEX, id: OTHER }, { _id: OTHER, id: HEX }];
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => send(desk, { name: `${n}`, ...ids[n % 2] })),
  );
  const codes = answers.map((answer) => answer.headers.get("x-keydesk-error"));
  assert.deepEqual(codes.sort(), [null, ...Array(7).fill("plan_id_taken")].sort());
});

testOnEngines(
  "plan ids: a change keeps both, and either path changes the one plan",
  async (desk) => {
    const _id = await addPlan(desk, { id: "gold" });
    await succeed(desk, "PUT", pathTo(POLICIES, "gold"), { body: { _id: HEX, id: "x", rate: 0 } });
    await succeed(desk, "PUT", pathTo(POLICIES, _id), { body: { quota_max: 7 } });
    const { id, quota_max } = await get(desk, _id);
    assert.deepEqual([id, quota_max], ["gold", 7]);
    await succeed(desk, "POST", "/v1/plans/gold/deactivate");
    assert.equal((await v1(desk, _id)).id, "gold");
    assert.equal((await get(desk, _id)).is_inactive, true);
    await succeed(desk, "DELETE", "/v1/plans/gold");
    await assertFailure(await desk.send("GET", pathTo(POLICIES, _id)), "not_found");
  },
);

testOnEngines(
  "plans: `is_inactive` is the opposite of `active`; where they disagree the plan is closed",
  async (desk) => {
    const _id = await addPlan(desk, { is_inactive: true });
    const states = async (body: Sent) => {
      await succeed(desk, "PUT", pathTo(POLICIES, _id), { body });
      const { active, is_inactive } = await get(desk, _id);
      assert.equal(is_inactive, !active);
      return active;
    };
    assert.equal((await get(desk, _id)).active, false);
    assert.equal(await states({ rate: 0 }), false);
    for (const open of [false, true]) {
      for (
        const sent of [{ active: true, is_inactive: true }, { active: false, is_inactive: false }]
      ) {
        assert.equal(await states({ active: open, is_inactive: !open }), open);
        // A PUT that is repeated says what it said.
        assert.equal(await states(sent), false);
        assert.equal(await states(sent), false);
      }
    }
    assert.equal(await states({ is_inactive: false }), true);
    assert.equal(await states({ is_inactive: true }), false);
    assert.equal(await states({ active: true }), true);
    assert.equal(await states({ active: true, is_inactive: false }), true);
    const both = await addPlan(desk, { name: "Both", active: true, is_inactive: true });
    assert.equal((await get(desk, both)).active, false);
  },
);

testOnEngines(
  "plan ids: a request by either id gives a key with the plan's rate and quota",
  async (desk) => {
    const [sent = {}] = clientPlans;
    const { _id, id } = sent as { _id: string; id: string };
    await addPlan(desk, sent);
    for (const [named, by_user] of [[_id, "dev-a"], [id, "dev-b"]] as const) {
      const shown = await createAndRead(desk, { by_user, for_plan: named });
      assert.deepEqual([shown.for_plan, shown.apply_policies], [named, [named]]);
      const { RawKey: key } = await approve(desk, shown.id);
      const { rate, quota, plans } = await valid(desk, { key, api_id: "a1" });
      assert.deepEqual([rate?.limit, quota?.limit, plans], [2, 500, [named]]);
      assert.equal(await outcome(desk, { key, api_id: "other" }), "wrong_api");
      const { subscriptions, keys } = await readDeveloper(desk, by_user);
      assert.deepEqual(Object.keys(subscriptions), [named]);
      assert.deepEqual(Object.values(keys), [[named]]);
    }
    const { keys } = await v1(desk, id);
    assert.equal(keys, 2);
  },
);

testOnEngines("plan ids: a plan that a key names twice counts once", async (desk) => {
  const _id = await planWith(desk, { id: "gold", quota_max: 3, quota_renewal_rate: 3600 }, ["a"]);
  const twice = await issue(desk, [_id, "gold"]);
  const once = await issue(desk, ["gold"], "dev-bob");
  assert.deepEqual((await readKey(desk, twice.key_id)).plans, [_id, "gold"]);
  for (let left = 2; left >= 0; left--) {
    const { plans, quota } = await valid(desk, { key: twice.RawKey, api_id: "a" });
    assert.deepEqual([plans, quota?.remaining], [[_id], left]);
  }
  assert.equal(await outcome(desk, { key: twice.RawKey, api_id: "a" }), "over_quota");
  for (const named of [_id, "gold"]) {
    const ids = await allKeyIds(desk, `plan=${named}&limit=1`);
    assert.deepEqual([...ids].sort(), [twice.key_id, once.key_id].sort());
    const { keys, pending_requests } = await v1(desk, named);
    assert.deepEqual([keys, pending_requests], [2, 0]);
  }
  await create(desk, { by_user: "dev-a", for_plan: "gold" });
  await create(desk, { by_user: "dev-b", for_plan: _id });
  assert.equal((await v1(desk, _id)).pending_requests, 2);
  // In a list each plan has its own.
  await addPlan(desk, { name: "Nobody's", id: "plan-of-nobody" });
  const list = await succeed<{ data: V1Plan[] }>(desk, "GET", "/v1/plans");
  const counts = list.data.map((plan) => [plan._id === _id, plan.keys, plan.pending_requests]);
  assert.deepEqual(counts.sort(), [[false, 0, 0], [true, 2, 2]]);
  const { data } = await succeed<{ data: unknown[] }>(
    desk,
    "GET",
    "/v1/key-requests?plan=gold&state=pending",
  );
  assert.equal(data.length, 2);
});

testOnEngines(
  "plan ids: keys that were there before their plan hear of it by either id",
  async (desk) => {
    const byId = await issue(desk, [HEX]);
    const byName = await issue(desk, ["gold"], "dev-bob");
    const each = async (expected: string) => {
      const since = performance.now();
      for (const { RawKey } of [byId, byName]) await heeds(desk, RawKey, expected, since);
    };
    await each("unknown_plan");
    await addPlan(desk, { _id: HEX, id: "gold" });
    await each("valid");
    const { unknown_plans } = await succeed<{ unknown_plans: { count: number } }>(
      desk,
      "GET",
      "/v1/server",
    );
    assert.equal(unknown_plans.count, 0);
    await succeed(desk, "PUT", pathTo(POLICIES, "gold"), { body: { is_inactive: true } });
    await each("plan_inactive");
  },
);

testOnEngines("plan ids: remove_policies takes a plan away under either id", async (desk) => {
  const gold = await planWith(desk, { id: "gold" }, ["a"]);
  const tides = await planWith(desk, {}, ["b"]);
  const { key_id } = await issue(desk, ["gold", tides]);
  const id = await create(desk, {
    by_user: "dev-ada",
    key: key_id,
    for_plan: tides,
    remove_policies: [gold],
  });
  await approve(desk, id);
  assert.deepEqual((await readKey(desk, key_id)).plans, [tides]);
});

testOnEngines("plan ids: the catalogue's entry and its rules hold for both", async (desk) => {
  const config = {
    override: true,
    require_key_approval: false,
    key_request_fields: [{ name: "a" }],
  };
  await post(desk, CATALOGUE, {
    apis: [{ name: "Weather", api_id: "w", policy_id: "gold", auth_type: "basic", config }],
  });
  const before = await createAndRead(desk, { by_user: "dev-a", for_plan: HEX });
  assert.equal(before.catalogue_entry.name, "");
  // The plan comes after the entry: from then on both of its ids lead there.
  await addPlan(desk, { _id: HEX, id: "gold", auth_type: "basic" });
  for (const named of [HEX, "gold"]) {
    const shown = await createAndRead(desk, { by_user: `dev-${named}`, for_plan: named });
    assert.equal(shown.catalogue_entry.name, "Weather");
    const writer = await desk.token(["portal:write"]);
    const approved = await desk.send("PUT", `/api/portal/requests/approve/${shown.id}`, {
      credential: writer,
    });
    assert.equal(approved.status, 200);
    assert.notEqual((await approved.json()).Password, "");
    assert.equal((await v1(desk, named)).approval, "automatic");
    const ofApi = await succeed<{ data: unknown[] }>(desk, "GET", "/v1/key-requests?api=w");
    assert.equal(ofApi.data.length, named === HEX ? 2 : 3);
  }
  await succeed(desk, "PUT", `/v1/plans/${HEX}/approval`, { body: { approval: "manual" } });
  assert.equal((await v1(desk, "gold")).approval, "manual");
  await post(desk, CATALOGUE, {
    apis: [{ api_id: "w", policy_id: "gold" }, { api_id: "w", policy_id: HEX }],
  });
  const { data } = await succeed<{ data: { plans: { id: string; name: string }[] }[] }>(
    desk,
    "GET",
    "/v1/catalogue",
  );
  assert.deepEqual(data[0]?.plans, [{ id: "gold", name: "Weather" }]);
});

testOnEngines(
  "plan ids: with strict references a request that waits is found under either id",
  async (desk) => {
    await register(desk, { id: "dev-ada" });
    await addPlan(desk, { _id: HEX, id: "gold" });
    const first = await create(desk, { by_user: "dev-ada", for_plan: HEX });
    assert.equal(await create(desk, { by_user: "dev-ada", for_plan: "gold" }), first);
    const twice = { by_user: "dev-ada", for_plan: "gold", apply_policies: [HEX, "gold"] };
    assert.equal(await create(desk, twice), first);
  },
  { environment: { KEYDESK_REFERENCES: "strict" } },
);

testOnEngines("plan ids: the audit log of a plan is found by either", async (desk) => {
  await addPlan(desk, { _id: HEX, id: "gold" });
  await succeed(desk, "PUT", pathTo(POLICIES, HEX), { body: { rate: 1, per: 1 } });
  for (const object_id of [HEX, "gold"]) {
    const { data } = await succeed<{ data: { action: string; object_id: string }[] }>(
      desk,
      "GET",
      `/v1/audit-log?object_id=${object_id}`,
    );
    assert.deepEqual(data.map((event) => [event.action, event.object_id]), [
      ["plan.updated", "gold"],
      ["plan.created", "gold"],
    ]);
  }
});

interface List {
  Data: ShownPlan[];
  Pages: number;
}

testOnEngines("plans: searched by name and both ids, listed as the list is", async (desk) => {
  const gold = await addPlan(desk, { _id: HEX, id: "Gold plan", name: "Weather, free" });
  const tides = await addPlan(desk, { name: "Tides, free" });
  await addPlan(desk, { name: "Maps", id: "search", tags: ["free"] });
  const gone = await addPlan(desk, { name: "Gone, free" });
  await succeed(desk, "DELETE", pathTo(POLICIES, gone));
  const search = async (query: string) => {
    const { Data, Pages } = await succeed<List>(desk, "GET", `${POLICIES}/search?${query}`);
    return [Data.map((plan) => plan._id).sort(), Pages];
  };
  assert.deepEqual(await search("q=FREE"), [[gold, tides].sort(), 1]);
  assert.deepEqual(await search("q=old%20pl"), [[gold], 1]);
  assert.deepEqual(await search(`q=${HEX.slice(3)}`), [[gold], 1]);
  assert.deepEqual(await search("q=%25"), [[], 0]);
  assert.deepEqual(await search("q=nothing&p=1"), [[], 0]);
  const [every] = await search("");
  assert.ok(Array.isArray(every) && every.length === 3);
  const pages = [
    await search("q=free&p=1"),
    await search("q=free&p=2"),
    await search("q=free&p=3"),
  ];
  assert.deepEqual(pages.map(([, count]) => count), [2, 2, 2]);
  assert.deepEqual(pages.flatMap(([ids]) => ids as string[]).sort(), [gold, tides].sort());
  const [whole] = (await succeed<List>(desk, "GET", `${POLICIES}/search?q=gold`)).Data;
  assert.deepEqual(whole, await get(desk, gold));
  const { admin: credential } = await desk.otherOrganisation();
  const theirs = await desk.send("GET", `${POLICIES}/search?q=free`, { credential });
  assert.deepEqual(await theirs.json(), { Data: [], Pages: 0 });
}, { environment: { KEYDESK_PAGE_SIZE: "1" } });

testOnEngines("plans: a search streams all of many, in the order of the list", async (desk) => {
  for (let n = 0; n < 230; n++) await addPlan(desk, { name: `${n % 2 ? "odd" : "even"} ${n}` });
  const all = await succeed<List>(desk, "GET", POLICIES);
  const odd = await succeed<List>(desk, "GET", `${POLICIES}/search?q=odd`);
  assert.deepEqual(odd.Data, all.Data.filter(({ name }) => name.startsWith("odd")));
  assert.equal(odd.Data.length, 115);
  const page = await succeed<List>(desk, "GET", `${POLICIES}/search?q=odd&p=3`);
  assert.deepEqual([page.Data, page.Pages], [odd.Data.slice(20, 30), 12]);
});
