/** An API for invited developers does not exist for others, in no list and by no request. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  type DeveloperClient,
  openPages,
  registered,
  signInByCode,
  signInByLink,
} from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { signInAtPages } from "../../../support/portal.ts";

const show = (desk: TestDesk, api: string, body: unknown) =>
  succeed<{ revision: string; visibility: string }>(desk, "PUT", `/v1/apis/${api}`, { body });

async function seen(developer: DeveloperClient, q = ""): Promise<string[][]> {
  const path = `/v1/my/apis${q && `?q=${q}`}`;
  const { data } = await developer.get<{ data: { id: string; plans: { name: string }[] }[] }>(
    "GET",
    path,
  );
  return data.map(({ id, plans }) => [id, ...plans.map(({ name }) => name)]);
}

async function begin(desk: TestDesk) {
  await openPages(desk);
  const { plans } = await offer(desk, [
    { api: "tides", plan: "Free", approval: "automatic" },
    { api: "partners", plan: "Gold", approval: "automatic" },
  ]);
  await registered(desk, "ada", "ada@example.org");
  await registered(desk, "eve", "eve@example.net");
  const [ada, eve] = [
    await signInByCode(desk, "ada@example.org"),
    await signInByCode(desk, "eve@example.net"),
  ];
  return { plans, ada, eve };
}

const both = [["tides", "Free"], ["partners", "Gold"]];

testOnEngines("visibility: an API for the invited is one that others cannot name", async (desk) => {
  const { plans, ada, eve } = await begin(desk);
  assert.deepEqual([await seen(ada), await seen(eve)], [both, both]);
  const made = await show(desk, "partners", { visibility: "invited", invited: ["Example.ORG"] });
  assert.equal(made.visibility, "invited");
  assert.deepEqual([await seen(ada), await seen(eve)], [both, [both[0]]]);
  assert.deepEqual(await seen(eve, "partners"), []);
  for (const path of ["/v1/my/apis/partners", "/v1/my/apis/partners/documentation"]) {
    await assertFailure(await eve.send("GET", path), "not_found");
    assert.equal((await ada.send("GET", path)).status, 200);
  }
  const body = { plan: plans.Gold };
  await assertFailure(await eve.send("POST", "/v1/my/requests", { body }), "unknown_plan");
  const pages = await signInAtPages(desk, "eve@example.net");
  const home = await pages.get("/portal");
  assert.ok(home.text.includes("tides") && !home.text.includes("partners"));
  for (const path of ["/portal/apis/partners", `/portal/ask/${plans.Gold}`]) {
    const { status, text } = await pages.get(path);
    assert.ok(status >= 400 && !text.includes("Gold"), `${path}: ${status}`);
  }
  // What was granted stays, and its key names no API that its developer does not see.
  const asked = await ada.get<{ key: { id: string } }>("POST", "/v1/my/requests", body);
  await show(desk, "partners", { invited: ["ann@example.org"] });
  assert.deepEqual(await seen(ada), [both[0]]);
  const key = await ada.get<{ state: string; plans: { apis: string[] }[] }>(
    "GET",
    `/v1/my/keys/${asked.key.id}`,
  );
  assert.deepEqual([key.state, key.plans.map(({ apis }) => apis)], ["active", [[]]]);
});

testOnEngines("visibility: an address counts once it is verified, a tag at once", async (desk) => {
  const { eve } = await begin(desk);
  await registered(desk, "bob", "bob@example.org");
  const bob = await signInByLink(desk, "bob");
  await show(desk, "partners", { visibility: "invited", invited: ["bob@example.org"] });
  assert.deepEqual(await seen(bob), [both[0]]);
  assert.deepEqual(await seen(await signInByCode(desk, "bob@example.org")), both);
  assert.deepEqual(await seen(bob), both);
  await show(desk, "partners", { invited: [], invited_tags: ["partner"] });
  assert.deepEqual([await seen(bob), await seen(eve)], [[both[0]], [both[0]]]);
  await succeed(desk, "PUT", "/v1/developers/eve/tags", { body: { tags: ["partner"] } });
  assert.deepEqual(await seen(eve), both);
});

testOnEngines("visibility: no other API offers what opens one for the invited", async (desk) => {
  const { plans, eve } = await begin(desk);
  const shared = await succeed<{ _id: string }>(desk, "POST", "/v1/plans", {
    body: { name: "Shared", access_rights: { tides: { api_id: "tides" } } },
  });
  const opening = await succeed<{ _id: string }>(desk, "POST", "/v1/plans", {
    body: { name: "Opening", access_rights: { partners: { api_id: "partners" } } },
  });
  await show(desk, "tides", { plans: [plans.Free, shared._id, opening._id] });
  await show(desk, "partners", { plans: [plans.Gold, shared._id] });
  assert.deepEqual((await seen(eve))[0], ["tides", "Free", "Shared", "Opening"]);
  await show(desk, "partners", { visibility: "invited" });
  assert.deepEqual(await seen(eve), [["tides", "Free"]]);
});

testOnEngines("visibility: what a portal writes whole opens nothing", async (desk) => {
  const { eve } = await begin(desk);
  const before = await show(desk, "partners", { visibility: "invited" });
  const { apis } = await succeed<{ apis: unknown[] }>(desk, "GET", "/api/portal/catalogue");
  assert.ok(!JSON.stringify(apis).includes("visibility"));
  await succeed(desk, "PUT", "/api/portal/catalogue", { body: { apis } });
  assert.deepEqual(await seen(eve), [both[0]]);
  const headers = { "if-match": `"${before.revision}"` };
  await succeed(desk, "PUT", "/v1/apis/partners", { body: { visibility: "public" }, headers });
  const stale = { body: { visibility: "invited" }, headers };
  await assertFailure(await desk.send("PUT", "/v1/apis/partners", stale), "precondition_failed");
  const { data } = await succeed<{ data: { detail: Record<string, unknown> }[] }>(
    desk,
    "GET",
    "/v1/audit-log?action=api.updated",
  );
  assert.deepEqual(data[0]?.detail, {
    before: { visibility: "invited" },
    after: { visibility: "public" },
  });
  for (const invited of ["nobody@", "a b@example.org", "example", "@example.org"]) {
    const answer = await desk.send("PUT", "/v1/apis/partners", { body: { invited: [invited] } });
    assert.equal(answer.status, 400, invited);
  }
});
