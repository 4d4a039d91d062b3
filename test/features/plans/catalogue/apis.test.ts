/**
 * The catalogue's APIs of `/v1`: made, listed, changed and taken out, beside what
 * portals write.
 */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { api } from "../../../../src/features/plans/catalogue/apis.contract.ts";
import type { listApis } from "../../../../src/features/plans/catalogue/apis.operations.ts";
import { assertFailure } from "../../../support/answers.ts";
import { addPlan, CATALOGUE, POLICIES, post, succeed } from "../../../support/companions.ts";
import { type SendInit, type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { approve, create as request, smallRequest } from "../../../support/key-requests.ts";

const APIS = "/v1/apis";

type Api = z.output<typeof api>;
type List = z.output<typeof listApis.response>;
type Entry = Record<string, unknown> & { api_id: string; policy_id: string };

const call = <Answer = Api>(desk: TestDesk, method: string, path = "", init: SendInit = {}) =>
  succeed<Answer>(desk, method, `${APIS}${path}`, init);
const entries = async (desk: TestDesk) =>
  (await succeed<{ apis: Entry[] }>(desk, "GET", CATALOGUE)).apis;
const opening = (api_id: string) => ({ access_rights: { [api_id]: { api_id } } });

testOnEngines(
  "v1 API: made in an empty catalogue, offered by plans, changed and taken out",
  async (desk) => {
    assert.deepEqual(await call<List>(desk, "GET"), { data: [], next_cursor: null });
    const made = await call(desk, "POST", "", { body: { name: " Tides ", version: "v2" } });
    assert.match(made.id, /^[0-9a-f]{24}$/);
    assert.deepEqual([made.name, made.version, made.show, made.plans], ["Tides", "v2", true, []]);
    const { id } = made;
    await addPlan(desk, { id: "free", name: "Free", rate: 5, per: 60, ...opening(id) });
    await addPlan(desk, { id: "other", name: "Other", ...opening("another") });
    await addPlan(desk, { id: "all", name: "All" });
    const plans = ["free", "other", "all"];
    const headers = { "if-match": `"${made.revision}"` };
    const offered = await call(desk, "PUT", `/${id}`, { body: { plans }, headers });
    assert.deepEqual(
      offered.plans.map((plan) => [plan.id, plan.name, plan.opens, plan.active, plan.rate]),
      [["free", "Free", true, true, 5], ["other", "Other", false, true, 0], [
        "all",
        "All",
        true,
        true,
        0,
      ]],
    );
    const plansThat = async (isOffered: boolean) => {
      const path = `/v1/plans?offered=${isOffered}`;
      const { data } = await succeed<{ data: { id: string }[] }>(desk, "GET", path);
      return data.map((plan) => plan.id).sort();
    };
    assert.deepEqual([await plansThat(true), await plansThat(false)], [plans.toSorted(), []]);
    const stale = await desk.send("PUT", `${APIS}/${id}`, { body: { show: false }, headers });
    await assertFailure(stale, "precondition_failed");
    // What portals read is the same catalogue; nobody is approved automatically by it.
    const [entry, ...others] = await entries(desk);
    assert.deepEqual(
      [entry?.name, entry?.version, entry?.show, entry?.api_id, entry?.policy_id],
      ["Tides", "v2", true, id, "free"],
    );
    assert.deepEqual(entry?.config, { ...entry?.config as object, require_key_approval: true });
    assert.deepEqual(others.map(({ policy_id }) => policy_id), ["other", "all"]);

    const asked = await request(desk, smallRequest({ for_plan: "free", apply_policies: ["free"] }));
    await request(desk, smallRequest({ for_plan: "free", apply_policies: ["free"] }));
    await approve(desk, asked);
    const [free] = (await call(desk, "GET", `/${id}`)).plans;
    assert.deepEqual([free?.keys, free?.pending_requests], [1, 1]);

    // A plan leaves, the texts of all others change, and what is not sent stays.
    const hidden = await call(desk, "PUT", `/${id}`, {
      body: { show: false, plans: ["all", "free"] },
    });
    assert.deepEqual(hidden.plans.map((plan) => plan.id), ["free", "all"]);
    assert.deepEqual([await plansThat(true), await plansThat(false)], [["all", "free"], ["other"]]);
    const own = await succeed<{ _id: string }>(desk, "GET", "/v1/plans/free");
    assert.equal(hidden.plans[0]?._id, own._id);
    assert.deepEqual((await entries(desk)).map(({ name, show }) => [name, show]), [
      ["Tides", false],
      ["Tides", false],
    ]);
    const bare = await call(desk, "PUT", `/${id}`, { body: { plans: [] } });
    assert.deepEqual([bare.name, bare.version, bare.plans], ["Tides", "v2", []]);
    assert.deepEqual(
      (await entries(desk)).map(({ api_id, policy_id }) => [api_id, policy_id]),
      [[id, ""]],
    );

    await succeed(desk, "GET", "/v1/plans/free");
    const gone = { headers: { "if-match": `"${bare.revision}"` } };
    assert.deepEqual(await call(desk, "DELETE", `/${id}`, gone), { id });
    assert.deepEqual(await entries(desk), []);
    await assertFailure(await desk.send("GET", `${APIS}/${id}`), "not_found");
    await assertFailure(await desk.send("PUT", `${APIS}/${id}`, { body: {} }), "not_found");
    await assertFailure(await desk.send("DELETE", `${APIS}/${id}`), "not_found_for_deletion");
  },
);

testOnEngines(
  "v1 API: what a portal wrote keeps its place, its rules and the members that nobody knows",
  async (desk) => {
    const { _id } = await succeed<{ _id: string }>(
      desk,
      "GET",
      `${POLICIES}/${await addPlan(
        desk,
        { id: "free", name: "Free" },
      )}`,
    );
    await addPlan(desk, { id: "more", name: "More" });
    const config = { override: true, require_key_approval: false, redirect_to: "/done" };
    const apis = [
      { api_id: "first", name: "First", theirs: { kept: 2 } },
      { api_id: "tides", policy_id: "free", name: "Tides", theirs: { kept: 1 }, config },
      { api_id: "", policy_id: "more", name: "No API" },
      { api_id: "last", policy_id: "nobody-knows", name: "Last" },
      { api_id: "tides", policy_id: _id, name: "Tides, twice" },
    ];
    await post(desk, CATALOGUE, { apis, email: "apis@example.org" });
    // Named by its other id it is the same plan, and stays as it is named.
    const body = { short_description: "By the hour", plans: [_id, "more"] };
    const tides = await call(desk, "PUT", "/tides", { body });
    assert.deepEqual(tides.plans.map((plan) => [plan.id, plan.approval]), [
      ["free", "automatic"],
      [_id, "automatic"],
      ["more", "manual"],
    ]);
    const after = await entries(desk);
    // Entries that are named one by one stay so, and the new one has its plan's name.
    assert.deepEqual(after.slice(1, 4).map(({ name }) => name), ["Tides", "Tides, twice", "More"]);
    assert.equal(tides.name, "Tides");
    await succeed(desk, "PUT", `${POLICIES}/more`, {
      body: { access_rights: { tides: { api_id: "tides", api_name: "All tides" } } },
    });
    assert.equal((await call(desk, "GET", "/tides")).name, "All tides");
    assert.deepEqual(
      after.map(({ api_id, policy_id, short_description }) => [
        api_id,
        policy_id,
        short_description,
      ]),
      [
        ["first", "", ""],
        ["tides", "free", "By the hour"],
        ["tides", _id, "By the hour"],
        ["tides", "more", "By the hour"],
        ["", "more", ""],
        ["last", "nobody-knows", ""],
      ],
    );
    assert.deepEqual(after[1]?.theirs, { kept: 1 });
    assert.equal((after[1]?.config as { redirect_to: string }).redirect_to, "/done");
    const read = await succeed<{ email: string }>(desk, "GET", CATALOGUE);
    assert.equal(read.email, "apis@example.org");
    // A plan that nobody knows may stay, and none may come.
    const last = await call(desk, "PUT", "/last", {
      body: { name: "Last one", plans: ["nobody-knows"] },
    });
    assert.deepEqual(last.plans.map(({ id, name, active }) => [id, name, active]), [
      ["nobody-knows", "", false],
    ]);
    // What an entry without a plan holds goes over to its first plan's.
    const first = await call(desk, "PUT", "/first", { body: { plans: ["more"] } });
    assert.deepEqual(first.plans.map(({ id }) => id), ["more"]);
    const [moved] = await entries(desk);
    assert.deepEqual([moved?.name, moved?.policy_id, moved?.theirs], ["First", "more", {
      kept: 2,
    }]);
    const none = await desk.send("PUT", `${APIS}/first`, { body: { plans: ["nobody-knows"] } });
    await assertFailure(none, "unknown_plan");
  },
);

testOnEngines("v1 APIs: by cursor in the catalogue's order, and by text", async (desk) => {
  const names = ["Tides", "Weather", "Traffic", "Trains", "Water"];
  for (const name of names) {
    await call(desk, "POST", "", { body: { id: name.toLowerCase(), name } });
  }
  const pages = async (query: string) => {
    const found: string[] = [];
    for (let cursor = "";;) {
      const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: List = await call(desk, "GET", `?${query}${next}`);
      found.push(...page.data.map(({ name }) => name));
      if (page.next_cursor === null) return found;
      cursor = page.next_cursor;
    }
  };
  for (const limit of [1, 2, 5, 100]) {
    assert.deepEqual(await pages(`limit=${limit}`), names);
    assert.deepEqual(await pages(`limit=${limit}&q=TRA`), ["Traffic", "Trains"]);
  }
  const first = await call<List>(desk, "GET", "?limit=2");
  await call(desk, "DELETE", "/weather");
  const behind = await call<List>(desk, "GET", `?limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual(behind.data.map(({ name }) => name), ["Traffic", "Trains"]);
});

testOnEngines("v1 API: repeated, and at the same time", async (desk) => {
  const headers = { "idempotency-key": "a-key-of-sixteen-characters" };
  const body = { id: "tides", name: "Tides" };
  const made = await call(desk, "POST", "", { body, headers });
  assert.deepEqual(await call(desk, "POST", "", { body, headers }), made);
  // Each of several who add at once has its own entry, and none is lost.
  const ids = Array.from({ length: 8 }, (_, at) => `api-${at}`);
  await Promise.all(ids.map((id) => call(desk, "POST", "", { body: { id, name: id } })));
  const found = (await entries(desk)).map(({ api_id }) => api_id);
  assert.deepEqual(found.toSorted(), [...ids, "tides"].toSorted());
});
