/** What developers read of what is offered, and of their requests and keys. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByCode, signInByLink } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { call } from "../../../support/people.ts";

type Plan = {
  id: string;
  way: string;
  requested_fields: unknown[];
  mine: { state: string; key_id: string | null; request_id: string | null };
};
type Api = { id: string; name: string; plans: Plan[] };
type Request = {
  id: string;
  state: string;
  reason: string | null;
  plans: unknown[];
  key: { id: string; mask: string; waits_until: string | null } | null;
};

async function ada(desk: TestDesk) {
  await openPages(desk);
  const { id, email } = await registered(desk, "dev-ada");
  return { id, client: await signInByCode(desk, email) };
}

/** Asks for a plan as a portal's back end does. */
async function asked(desk: TestDesk, by_user: string, for_plan: string): Promise<string> {
  const body = { by_user, for_plan, fields: { use_case: "A map" } };
  return (await succeed<{ Message: string }>(desk, "POST", "/api/portal/requests", { body }))
    .Message;
}

testOnEngines("my: who one is, and whether the address is known to be one's own", async (desk) => {
  await succeed(desk, "POST", "/api/portal/configuration", {
    body: { signup_fields: [{ name: "company", required: true }, "phone"] },
  });
  await openPages(desk);
  const fields = { name: "Ada Lovelace", company: "Engines", points: 3 };
  const body = { id: "dev-ada", email: "ada@example.org", fields };
  await succeed(desk, "POST", "/v1/developers", { body });
  const client = await signInByCode(desk, "ada@example.org");
  assert.deepEqual(await client.get("GET", "/v1/my"), {
    id: "dev-ada",
    name: "Ada Lovelace",
    email: "ada@example.org",
    email_verified: true,
    fields: { name: "Ada Lovelace", company: "Engines" },
    sign_up_fields: [
      { name: "company", label: "Company", kind: "long_text", choices: [], required: true },
      { name: "phone", label: "Phone", kind: "long_text", choices: [], required: false },
    ],
  });
});

testOnEngines("my APIs: what is shown and can be had, and nothing else", async (desk) => {
  const { client } = await ada(desk);
  const { plans } = await offer(desk, [
    { api: "tides", plan: "Tides, free", approval: "automatic" },
    { api: "tides", plan: "Tides, partners", fields: [{ name: "use_case", required: true }] },
    { api: "tides", plan: "Tides, secret", show: false },
    { api: "closed", plan: "Closed", active: false },
    { api: "hidden", plan: "Hidden", show: false },
    { api: "maps", plan: "Maps" },
  ]);
  const { data } = await client.get<{ data: Api[] }>("GET", "/v1/my/apis");
  assert.deepEqual(data.map(({ id, plans }) => [id, plans.map((plan) => [plan.id, plan.way])]), [
    ["tides", [[plans["Tides, free"], "at_once"], [plans["Tides, partners"], "by_approval"]]],
    ["maps", [[plans.Maps, "by_approval"]]],
  ]);
  assert.deepEqual(data[0]?.plans[1]?.requested_fields, [
    { name: "use_case", label: "Use case", kind: "long_text", choices: [], required: true },
  ]);
  const text = JSON.stringify(data);
  for (const member of ["pending_requests", "revision", "secret", "when_leaked", "override"]) {
    assert.ok(!text.includes(member), member);
  }
  const found = await client.get<{ data: Api[] }>("GET", "/v1/my/apis?q=MAPS");
  assert.deepEqual(found.data.map(({ id }) => id), ["maps"]);
  const first = await client.get<{ data: Api[]; next_cursor: string }>(
    "GET",
    "/v1/my/apis?limit=1",
  );
  const second = await client.get<{ data: Api[]; next_cursor: null }>(
    "GET",
    `/v1/my/apis?limit=1&cursor=${first.next_cursor}`,
  );
  assert.deepEqual([...first.data, ...second.data].map(({ id }) => id), ["tides", "maps"]);
  assert.equal((await client.get<Api>("GET", "/v1/my/apis/maps")).name, "maps");
  for (const id of ["hidden", "closed", "nothing"]) {
    await assertFailure(await client.send("GET", `/v1/my/apis/${id}`), "not_found");
  }
});

testOnEngines(
  "my APIs: a plan that a portal offers without an API stands by itself",
  async (desk) => {
    const { client } = await ada(desk);
    const body = { name: "Everything", active: true };
    const { Message: policy_id } = await succeed<{ Message: string }>(
      desk,
      "POST",
      "/api/portal/policies",
      { body },
    );
    const apis = [{ name: "All of it", show: true, policy_id }];
    await succeed(desk, "POST", "/api/portal/catalogue", { body: { apis } });
    const { data } = await client.get<{ data: Api[] }>("GET", "/v1/my/apis");
    assert.deepEqual(data.map(({ id, name, plans }) => [id, name, plans.map((plan) => plan.id)]), [
      [policy_id, "All of it", [policy_id]],
    ]);
    await client.get("POST", "/v1/my/requests", { plan: policy_id });
  },
);

testOnEngines("my APIs: of each plan one reads what one has of it", async (desk) => {
  const { id, client } = await ada(desk);
  const { plans } = await offer(
    desk,
    ["None", "Waits", "Declined", "Key"].map((plan) => ({
      api: "tides",
      plan,
    })),
  );
  const waits = await asked(desk, id, plans.Waits ?? "");
  const declined = await asked(desk, id, plans.Declined ?? "");
  await succeed(desk, "POST", `/v1/key-requests/${declined}/decline`, { body: {} });
  const approved = await asked(desk, id, plans.Key ?? "");
  const path = `/v1/key-requests/${approved}/approve`;
  const { key_id } = await succeed<{ key_id: string }>(desk, "POST", path, { body: {} });
  const mine = async () =>
    (await client.get<Api>("GET", "/v1/my/apis/tides")).plans.map(({ mine }) => mine);
  assert.deepEqual(await mine(), [
    { state: "none", key_id: null, request_id: null },
    { state: "waits", key_id: null, request_id: waits },
    { state: "declined", key_id: null, request_id: declined },
    { state: "has_key", key_id, request_id: null },
  ]);
  await succeed(desk, "POST", `/v1/keys/${key_id}/revoke`, { body: { reason: "ended" } });
  assert.equal((await mine())[3]?.state, "none");
});

testOnEngines("my requests: newest first, with what was written to oneself alone", async (desk) => {
  const { id, client } = await ada(desk);
  const { plans } = await offer(desk, [{ api: "tides", plan: "Tides" }]);
  const plan = plans.Tides ?? "";
  const [pending, declined, approved] = [
    await asked(desk, id, plan),
    await asked(desk, id, plan),
    await asked(desk, id, plan),
  ];
  const others = await asked(desk, "dev-bob", plan);
  const decision = (what: string, body: unknown, of: string) =>
    succeed(desk, "POST", `/v1/key-requests/${of}/${what}`, { body });
  await decision("decline", { reason: "Please name the team." }, declined);
  await decision("approve", { reason: "Between us: a friend", deliver: "one_time_link" }, approved);
  const { data } = await client.get<{ data: Request[] }>("GET", "/v1/my/requests");
  assert.deepEqual(data.map(({ id, state, reason }) => [id, state, reason]), [
    [approved, "approved", null],
    [declined, "declined", "Please name the team."],
    [pending, "pending", null],
  ]);
  assert.deepEqual(data[0]?.plans, [{ id: plan, name: "Tides", apis: ["tides"] }]);
  assert.ok(data[0]?.key?.waits_until, "its key waits to be opened");
  const one = await client.get<Request & { fields: unknown }>("GET", `/v1/my/requests/${approved}`);
  assert.deepEqual(one, data[0]);
  assert.deepEqual(one.fields, { use_case: "A map" });
  const text = JSON.stringify(data);
  for (const hidden of ["friend", "decided_by", "by_user", others, "org_id"]) {
    assert.ok(!text.includes(hidden), hidden);
  }
  const only = await client.get<{ data: Request[] }>("GET", "/v1/my/requests?state=declined");
  assert.deepEqual(only.data.map((one) => one.id), [declined]);
  for (const other of [others, "0".repeat(24)]) {
    await assertFailure(await client.send("GET", `/v1/my/requests/${other}`), "not_found");
  }
});

testOnEngines("my keys: masked, with what is left and how they are used", async (desk) => {
  const { id, client } = await ada(desk);
  const { plans } = await offer(desk, [
    { api: "tides", plan: "Tides", quota_max: 10, quota_renewal_rate: 30 * 86_400 },
    { api: "maps", plan: "Maps" },
  ]);
  const issue = async (plan: string | undefined, labels: object, developer = id) =>
    await call(
      desk,
      "POST",
      `/v1/developers/${developer}/keys`,
      { plans: [plan], ...labels },
      desk.admin,
    );
  const tides = await issue(plans.Tides, { name: "Checkout", note: "pays late", tags: ["late"] });
  const maps = await issue(plans.Maps, {});
  await registered(desk, "dev-bob");
  const others = await issue(plans.Maps, {}, "dev-bob");
  for (const api_id of ["tides", "tides", "tides", "maps"]) {
    await succeed(desk, "POST", "/v1/keys/verify", { body: { key: tides.RawKey, api_id } });
  }
  await desk.app.ctx.verifier.writeUsage();
  const { data } = await client.get<{ data: Record<string, unknown>[] }>("GET", "/v1/my/keys");
  assert.deepEqual(data.map((key) => key.id), [maps.key_id, tides.key_id]);
  const [ofMaps, ofTides] = data;
  assert.equal(ofMaps?.quota, null);
  assert.deepEqual(
    [ofTides?.name, ofTides?.state, ofTides?.plans, ofTides?.calls_30_days],
    ["Checkout", "active", [{ id: plans.Tides, name: "Tides", apis: ["tides"] }], 4],
  );
  const path = `/v1/my/keys/${tides.key_id}`;
  const one = await client.get<{
    quota: Record<string, unknown>;
    use: { days: unknown[]; total: unknown };
  }>("GET", path);
  const { limit, left, used, per_day, is_enough } = one.quota;
  assert.deepEqual([limit, left, used, per_day, is_enough], [10, 7, 3, 3, false]);
  const counts = { calls: 4, passed: 3, refused_401: 0, refused_403: 1, refused_429: 0 };
  assert.deepEqual(one.use.total, counts);
  assert.equal(one.use.days.length, 1);
  const text = JSON.stringify([data, one]);
  for (const hidden of ['"late"', "pays late", tides.RawKey, others.key_id, "note", "developer"]) {
    assert.ok(!text.includes(hidden), hidden);
  }
  await succeed(desk, "POST", `/v1/keys/${maps.key_id}/revoke`, { body: { reason: "gone" } });
  const over = await client.get<{ data: { id: string }[] }>("GET", "/v1/my/keys?state=over");
  assert.deepEqual(over.data.map((key) => key.id), [maps.key_id]);
  for (const other of [others.key_id, "0".repeat(64)]) {
    await assertFailure(await client.send("GET", `/v1/my/keys/${other}`), "not_found");
  }
});

testOnEngines("my keys: while a key is rotated both tell of each other", async (desk) => {
  const { id, client } = await ada(desk);
  const { plans } = await offer(desk, [{ api: "tides", plan: "Tides" }]);
  const issued = `/v1/developers/${id}/keys`;
  const old = await call(desk, "POST", issued, { plans: [plans.Tides] }, desk.admin);
  const rotate = `/v1/keys/${old.key_id}/rotate`;
  const fresh = await call(desk, "POST", rotate, { overlap_seconds: 3600 }, desk.admin);
  const read = (key_id: string) =>
    client.get<{ replaced_by: string; expires_at: string; replaces: { id: string }[] }>(
      "GET",
      `/v1/my/keys/${key_id}`,
    );
  const [before, after] = [await read(old.key_id), await read(fresh.key_id)];
  assert.deepEqual([before.replaced_by, before.replaces], [fresh.key_id, []]);
  assert.deepEqual(after.replaces.map((key) => key.id), [old.key_id]);
});

testOnEngines("my things: what another left under one's id stays theirs", async (desk) => {
  await openPages(desk);
  const { plans } = await offer(desk, [{ api: "tides", plan: "Tides" }]);
  const request = await asked(desk, "dev-ada", plans.Tides ?? "");
  await succeed(desk, "POST", `/v1/key-requests/${request}/decline`, { body: {} });
  // Approved for a bare id: a developer without an address, whose key lives on without them.
  const approved = await asked(desk, "dev-ada", plans.Tides ?? "");
  const key = (await succeed<{ RawKey: string }>(
    desk,
    "PUT",
    `/api/portal/requests/approve/${approved}`,
  )).RawKey;
  assert.ok(key);
  await succeed(desk, "DELETE", "/api/portal/developers/dev-ada?keys=keep");
  const { id } = await registered(desk, "dev-ada");
  const client = await signInByLink(desk, id);
  for (const path of ["/v1/my/keys", "/v1/my/requests"]) {
    assert.deepEqual((await client.get<{ data: unknown[] }>("GET", path)).data, [], path);
  }
});

testOnEngines("my APIs: how long a decision takes is told from five on", async (desk) => {
  const { id, client } = await ada(desk);
  const { plans } = await offer(desk, [{ api: "tides", plan: "Partners" }]);
  const usual = async () => {
    const { plans: [plan] } = await client.get<{ plans: { usual_seconds: number | null }[] }>(
      "GET",
      "/v1/my/apis/tides",
    );
    return plan?.usual_seconds;
  };
  const decide = async (hours: number, how: "approve" | "decline") => {
    const date_created = new Date(Date.now() - hours * 3_600_000).toISOString();
    const body = { by_user: id, for_plan: plans.Partners, date_created };
    const { Message } = await succeed<{ Message: string }>(desk, "POST", "/api/portal/requests", {
      body,
    });
    await succeed(desk, "POST", `/v1/key-requests/${Message}/${how}`, { body: {} });
  };
  for (const hours of [1, 3, 90]) await decide(hours, "decline");
  await decide(4, "approve");
  assert.equal(await usual(), null, "four tell nothing");
  await decide(5, "approve");
  // Read anew: what four told was asked for once, and is not kept.
  const told = await usual() ?? 0;
  assert.equal(Math.round(told / 60), 240, "the median of 1, 3, 4, 5 and 90 hours");
});
