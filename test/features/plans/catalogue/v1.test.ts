/** Plans of `/v1`, and what the catalogue offers. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { listCatalogue } from "../../../../src/features/plans/catalogue/v1.operations.ts";
import type { v1Plan, v1PlanList } from "../../../../src/features/plans/catalogue/v1.contract.ts";
import { assertFailure, assertInvalid } from "../../../support/answers.ts";
import {
  addPlan,
  CATALOGUE,
  CONFIGURATION,
  POLICIES,
  post,
  succeed,
} from "../../../support/companions.ts";
import { type SendInit, type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { approve, create as request, smallRequest } from "../../../support/key-requests.ts";

const PLANS = "/v1/plans";
const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };

type Plan = z.output<typeof v1Plan>;
type List = z.output<typeof v1PlanList>;

const call = <Answer>(desk: TestDesk, method: string, path: string, init: SendInit = {}) =>
  succeed<Answer>(desk, method, `${PLANS}${path}`, init);
const get = (desk: TestDesk, id: string) => call<Plan>(desk, "GET", `/${id}`);

/** The questions of a plan, by their names, and whether they must be answered. */
const named = ({ key_request_fields }: Plan) =>
  key_request_fields.map(({ name, required }) => [name, required]);

/** The ids of a whole list, page after page. */
async function ids(desk: TestDesk, query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page: List = await call(desk, "GET", `?${query}${next}`);
    found.push(...page.data.map((one) => one.id));
    cursor = page.next_cursor;
  }
  return found;
}

testOnEngines(
  "v1 plans: newest first in pages of any size, by state and text",
  async (desk) => {
    const all: string[] = [];
    for (let i = 0; i < 7; i++) {
      clock.at += i % 2;
      const id = `plan-${i}`;
      await addPlan(desk, { id, name: `Name ${i}`, active: i % 3 !== 0, tags: [`t${i % 2}`] });
      all.unshift(id);
    }
    const gone = await addPlan(desk, { id: "gone", name: "Gone" });
    await desk.send("DELETE", `${POLICIES}/${gone}`);
    const where = (wanted: (i: number) => boolean) => all.filter((_, n) => wanted(6 - n));
    for (const limit of [1, 3, 7, 100]) {
      assert.deepEqual(await ids(desk, `limit=${limit}`), all);
      assert.deepEqual(await ids(desk, `limit=${limit}&state=inactive`), where((i) => i % 3 === 0));
      assert.deepEqual(await ids(desk, `limit=${limit}&state=active`), where((i) => i % 3 !== 0));
      assert.deepEqual(await ids(desk, `limit=${limit}&q=T1`), where((i) => i % 2 === 1));
      assert.deepEqual(await ids(desk, `limit=${limit}&q=name%203`), ["plan-3"]);
    }
    const first = await desk.send("GET", `${PLANS}?limit=2`);
    const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    clock.at += 1000;
    await addPlan(desk, { id: "new", name: "New" });
    const next: List = await (await desk.send("GET", link)).json();
    assert.deepEqual(next.data.map((one) => one.id), all.slice(2, 4));
    const other = await desk.otherOrganisation();
    const foreign = await desk.send("GET", PLANS, { credential: other.admin });
    assert.deepEqual((await foreign.json()).data, []);
  },
  { clock },
);

testOnEngines(
  "v1 plan: limits, approval, fields to ask, and what there is of it",
  async (desk) => {
    await addPlan(desk, { id: "own", name: "Own", rate: 5, per: 60, key_expires_in: 60 });
    await addPlan(desk, { id: "usual", name: "Usual" });
    const before = await get(desk, "own");
    assert.deepEqual([before.approval, named(before)], ["manual", [["use_case", false]]]);
    await post(desk, CONFIGURATION, { key_request_fields: ["company"] });
    const key_request_fields = [{ name: "use", required: true }, { Name: "why" }, "team", 7, {}];
    const config = { override: true, require_key_approval: false, key_request_fields };
    await post(desk, CATALOGUE, { apis: [{ api_id: "a", policy_id: "own", config }] });
    const own = await get(desk, "own");
    assert.deepEqual([own.rate, own.per, own.quota_max, own.key_expires_in], [5, 60, -1, 60]);
    assert.equal(own.approval, "automatic");
    assert.deepEqual(named(own), [["use", true], ["why", false], ["team", false]]);
    const usual = await get(desk, "usual");
    assert.equal(usual.approval, "manual");
    assert.deepEqual(named(usual), [["company", false]]);

    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      made.push(
        await request(desk, smallRequest({ for_plan: "usual", apply_policies: ["usual"] })),
      );
    }
    for (const id of made.slice(0, 3)) await approve(desk, id);
    const keys = await succeed<{ data: { key_id: string }[] }>(desk, "GET", "/v1/keys?plan=usual");
    await desk.send("POST", `/v1/keys/${keys.data[0]?.key_id}/revoke`, { body: { reason: "x" } });
    await desk.send("POST", `/v1/keys/${keys.data[1]?.key_id}/suspend`, { body: { reason: "x" } });
    const counted = await get(desk, "usual");
    assert.deepEqual([counted.keys, counted.pending_requests], [2, 2]);
    // What there is of a plan is no part of what an edit goes by.
    assert.equal(counted.revision, usual.revision);
  },
);

testOnEngines(
  "v1 plan: created, edited, deactivated and deleted, with If-Match",
  async (desk) => {
    const headers = { "idempotency-key": "a-key-of-sixteen-characters" };
    const body = { name: "Tides", rate: 10, per: 1 };
    const created = await call<Plan>(desk, "POST", "", { body, headers });
    assert.deepEqual(await call<Plan>(desk, "POST", "", { body, headers }), created);
    await assertFailure(await desk.send("POST", PLANS, { body }), "plan_name_taken");
    const { id } = created;
    const taken = await desk.send("POST", PLANS, { body: { id, name: "Other" } });
    await assertFailure(taken, "plan_id_taken");

    const read = await desk.send("GET", `${PLANS}/${id}`);
    const etag = read.headers.get("etag") ?? "";
    assert.equal(etag, `"${created.revision}"`);
    const edited = await call<Plan>(desk, "PUT", `/${id}`, {
      headers: { "if-match": etag },
      body: { quota_max: 100, quota_renewal_rate: 60, id },
    });
    assert.deepEqual([edited.id, edited.rate, edited.quota_max], [id, 10, 100]);
    const stale: [method: string, path: string][] = [
      ["PUT", ""],
      ["POST", "/deactivate"],
      ["POST", "/activate"],
      ["DELETE", ""],
    ];
    for (const [method, path] of stale) {
      const body = method === "PUT" ? { rate: 1 } : undefined;
      const init = { headers: { "if-match": etag }, body };
      const response = await desk.send(method, `${PLANS}/${id}${path}`, init);
      await assertFailure(response, "precondition_failed");
    }
    const off = await call<Plan>(desk, "POST", `/${id}/deactivate`);
    assert.deepEqual([off.active, off.rate], [false, 10]);
    const legacy = await succeed<{ active: boolean }>(desk, "GET", `${POLICIES}/${id}`);
    assert.equal(legacy.active, false);
    const on = await call<Plan>(desk, "POST", `/${id}/activate`);
    assert.equal(on.active, true);
    const removed = { headers: { "if-match": `"${on.revision}"` } };
    assert.deepEqual(await call(desk, "DELETE", `/${id}`, removed), { id });
    await assertFailure(await desk.send("GET", `${PLANS}/${id}`), "not_found");
    const again = await desk.send("DELETE", `${PLANS}/${id}`, removed);
    await assertFailure(again, "not_found_for_deletion");
  },
);

testOnEngines(
  "v1 plan: approval and fields to ask are set where the catalogue offers it",
  async (desk) => {
    await addPlan(desk, { id: "own", name: "Own" });
    const path = `${PLANS}/own/approval`;
    const set = (body: unknown, headers: Record<string, string> = {}) =>
      desk.send("PUT", path, { body, headers });
    await assertFailure(await set({ approval: "automatic" }), "plan_not_offered");
    await post(desk, CONFIGURATION, { key_request_fields: ["company"], redirect_to: "/done" });
    const entry = { api_id: "a", policy_id: "own", name: "A" };
    const others = [{ ...entry, policy_id: "x" }, { ...entry, api_id: "b" }];
    await post(desk, CATALOGUE, { apis: [entry, ...others], email: "apis@example.org" });

    const before = await get(desk, "own");
    const headers = { "if-match": `"${before.revision}"` };
    const automatic: Plan = await (await set({ approval: "automatic" }, headers)).json();
    assert.equal(automatic.approval, "automatic");
    assert.deepEqual(named(automatic), [["company", false]]);
    await assertFailure(await set({ approval: "manual" }, headers), "precondition_failed");
    const key_request_fields = [{ name: "use", required: true }];
    const asking: Plan = await (await set({ key_request_fields })).json();
    assert.deepEqual([asking.approval, named(asking)], ["automatic", [["use", true]]]);
    // An edit of the limits goes by the plan alone.
    const edited = await call<Plan>(desk, "PUT", "/own", { headers, body: { rate: 1, per: 1 } });
    assert.deepEqual([edited.rate, edited.approval], [1, "automatic"]);

    type Entry = { policy_id: string; config: Record<string, unknown> };
    const { apis, email } = await succeed<{ apis: Entry[]; email: string }>(desk, "GET", CATALOGUE);
    assert.equal(email, "apis@example.org");
    assert.deepEqual(apis.map(({ policy_id, config }) => [policy_id, config.override]), [
      ["own", true],
      ["x", false],
      ["own", true],
    ]);
    assert.equal(apis[0]?.config.redirect_to, "/done");
    const refused = await desk.send("POST", "/api/portal/requests", {
      body: smallRequest({ for_plan: "own", apply_policies: ["own"], fields: {} }),
    });
    assert.equal(refused.status, 400);
    const id = await request(
      desk,
      smallRequest({ for_plan: "own", apply_policies: ["own"], fields: { use: "tides" } }),
    );
    const credential = await desk.token(["portal:write"]);
    const approved = await desk.send("PUT", `/api/portal/requests/approve/${id}`, { credential });
    assert.equal(approved.status, 200);
    await assertInvalid(await set({ approval: "maybe" }), "approval: expected manual or automatic");
  },
);

testOnEngines("v1 catalogue: each API once, with its plans by name", async (desk) => {
  const list = () => succeed<z.output<typeof listCatalogue.response>>(desk, "GET", "/v1/catalogue");
  assert.deepEqual(await list(), { data: [] });
  await addPlan(desk, { id: "free", name: "Free" });
  await addPlan(desk, { id: "gone", name: "Gone" });
  const entry = (api_id: string, policy_id: string, name: string) => ({ api_id, policy_id, name });
  await post(desk, CATALOGUE, {
    apis: [
      entry("weather", "free", "Weather"),
      entry("tides", "", "Tides"),
      entry("weather", "gone", "Weather, again"),
      entry("weather", "free", "Weather"),
      entry("", "free", "Nothing"),
    ],
  });
  const weather = (gone: string) => ({
    id: "weather",
    name: "Weather",
    plans: [{ id: "free", name: "Free" }, { id: "gone", name: gone }],
  });
  const tides = { id: "tides", name: "Tides", plans: [] };
  assert.deepEqual(await list(), { data: [weather("Gone"), tides] });
  await desk.send("DELETE", `${POLICIES}/gone`);
  assert.deepEqual(await list(), { data: [weather(""), tides] });
});
