/** What is worth knowing before a request is decided, as the server says it. */
import assert from "node:assert/strict";
import { companyOf } from "../../../src/features/key-requests/hints.operations.ts";
import type { Hint } from "../../../src/features/key-requests/hints.operations.ts";
import { mixesScripts } from "../../../src/features/key-requests/mixed-script.ts";
import { assertFailure } from "../../support/answers.ts";
import { addPlan, register, succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";
import { planWith } from "../../support/verification.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { v1, V1_REQUESTS } from "../../support/v1-requests.ts";

const hints = async (desk: TestDesk, id: string) =>
  (await succeed<{ data: Hint[] }>(desk, "GET", `${V1_REQUESTS}/${id}/hints`)).data;
const kinds = async (desk: TestDesk, id: string) => (await hints(desk, id)).map(({ hint }) => hint);

testOnEngines("hints: each is there while it is true, worst first", async (desk) => {
  const plan = await addPlan(desk, { id: "small", name: "Small", rate: 5, per: 1 });
  const ivy = { email: "ivy@hints.example", fields: { name: "Ivy" } };
  const { id: by_user } = await succeed<{ id: string }>(desk, "POST", "/v1/developers", {
    body: ivy,
  });
  const ask = (fields = {}) => create(desk, { by_user, for_plan: plan, fields });
  const first = await ask();
  assert.deepEqual(await kinds(desk, first), ["new_developer"]);
  await v1.decline(desk, first);
  assert.deepEqual(await hints(desk, first), []);
  const second = await ask();
  const { key_id } = await v1.approve(desk, second, "?deliver=one_time_link");
  await succeed(desk, "POST", `/v1/developers/${by_user}/deactivate`, { body: { keys: "keep" } });
  const busy = await ask();
  const told = await hints(desk, busy);
  assert.deepEqual(told.map(({ hint }) => hint), [
    "holds_active_key",
    "developer_inactive",
    "many_requests",
    "declined_before",
    "new_developer",
    "keys_unused",
  ]);
  const of = (kind: string) => told.find(({ hint }) => hint === kind);
  assert.deepEqual(of("holds_active_key")?.key_ids, [key_id]);
  assert.deepEqual(of("many_requests")?.request_ids.toSorted(), [first, second].toSorted());
  assert.deepEqual(of("declined_before")?.request_ids, [first]);
  assert.deepEqual(of("keys_unused")?.key_ids, [key_id]);
});

testOnEngines(
  "hints: a request for what is gone says so, and an approval is refused in words",
  async (desk) => {
    const gold = await addPlan(desk, { id: "gold", name: "Gold", rate: 5, per: 1 });
    const free = await addPlan(desk, { id: "free", name: "Free", rate: 5, per: 1 });
    const other = await addPlan(desk, { id: "other", name: "Other", rate: 5, per: 1 });
    const by_user = await register(desk, { email: "ada@gone.example" });
    const id = await create(desk, { by_user, for_plan: gold, apply_policies: [gold, free] });
    const gone = async () =>
      (await hints(desk, id)).filter(({ hint }) => hint.startsWith("plan_"))
        .map(({ hint, detail }) => [hint, detail]);
    assert.deepEqual(await gone(), [], "without a catalogue nothing is withdrawn");
    const apis = [{ id: "orders", plans: [gold, free] }, { id: "spare", plans: [other] }];
    for (const api of apis) await call(desk, "POST", "/v1/apis", { name: api.id, ...api });
    assert.deepEqual(await gone(), []);
    await succeed(desk, "DELETE", "/v1/apis/orders");
    assert.deepEqual(await gone(), [["plan_withdrawn", "Gold, Free"]]);
    await call(desk, "PUT", `/v1/plans/${other}`, { name: "Other", active: false });
    await succeed(desk, "DELETE", `/api/portal/policies/${gold}`);
    assert.deepEqual(await gone(), [["plan_deleted", "Gold"], ["plan_withdrawn", "Free"]]);
    const refused = await desk.send("POST", `${V1_REQUESTS}/${id}/approve`, { body: {} });
    assert.equal(refused.status, 400);
    assert.match(
      await refused.text(),
      /The plan Gold was deleted: decline the request, or grant another plan\./,
    );
    // The older interface keeps its sentence.
    await assertFailure(
      await desk.send("PUT", `/api/portal/requests/approve/${id}`),
      "unknown_plan",
    );
    const lesser = { conditions: { plans: [free] } };
    await call(desk, "POST", `${V1_REQUESTS}/${id}/offer`, lesser);
  },
);

testOnEngines(
  "decided on: a decline keeps what was known, and a reopened one nothing",
  async (desk) => {
    const plan = await addPlan(desk, { id: "small", name: "Small", rate: 5, per: 1 });
    const by_user = await register(desk, { email: "ada@tides.example" });
    const id = await create(desk, { by_user, for_plan: plan, fields: {} });
    await v1.decline(desk, id);
    const { decided_on } = await v1.get(desk, id);
    assert.deepEqual(
      decided_on?.plans.map(({ id, limits, held }) => [id, limits?.rate, held]),
      [
        [plan, 5, false],
      ],
    );
    assert.deepEqual(decided_on?.developer, {
      inactive: false,
      keys: 0,
      email_state: "proved",
      email_changed_at: null,
    });
    await v1.reopen(desk, id);
    assert.equal((await v1.get(desk, id)).decided_on, null);
  },
);

testOnEngines("hints: an address that changed, and one that mixes scripts", async (desk) => {
  const by_user = await register(desk, { email: "eve@hints.example" });
  const id = await create(desk, smallRequest({ by_user }));
  const before = await kinds(desk, id);
  assert.ok(!before.some((kind) => kind.startsWith("email_")), before.join());
  await succeed(desk, "PUT", `/api/portal/developers/${by_user}`, {
    body: { email: "еve@hints.example" },
  });
  const told = await hints(desk, id);
  assert.deepEqual(told.filter(({ hint }) => hint.startsWith("email_")).map(({ hint }) => hint), [
    "email_unconfirmed",
    "email_mixed_script",
  ]);
  assert.equal(told.find(({ hint }) => hint === "email_mixed_script")?.detail, "еve@hints.example");
});

testOnEngines("hints: others of the same company, by its name or its domain", async (desk) => {
  const ask = async (email: string, fields = {}) => {
    const by_user = await register(desk, { email, fields });
    return await create(desk, smallRequest({ by_user }));
  };
  const ada = await ask("ada@tides.example");
  const bob = await ask("bob@TIDES.example");
  await ask("eve@sub.tides.example");
  const [, ...none] = [await ask("x@gmail.com"), await ask("y@gmail.com")];
  const named = await ask("mia@gmail.com", { Company: "Tide Tables" });
  const same = await ask("kim@else.example", { Company: "tide tables" });
  const othersOf = async (id: string) =>
    (await hints(desk, id)).filter(({ hint }) => hint === "same_company")
      .map(({ title, request_ids }) => [title, ...request_ids]);
  // What was asked just now is in the search before it answers.
  await v1.list(desk, "?q=tides");
  assert.deepEqual(await othersOf(ada), [["Another open request of @tides.example", bob]]);
  assert.deepEqual(await othersOf(none[0] ?? ""), []);
  assert.deepEqual(await othersOf(named), [["Another open request of Tide Tables", same]]);
  await v1.decline(desk, bob);
  assert.deepEqual(await othersOf(ada), []);
});

testOnEngines("hints: nothing of what is outside of the caller's scope", async (desk) => {
  const mine = await planWith(desk, {}, ["tides"]);
  const foreign = await planWith(desk, {}, ["waves"]);
  const person = { name: "Pia", role: "approver", scope: { plans: [mine] } };
  const { id } = await call(desk, "POST", "/v1/people", person);
  const token = { name: "laptop", deliver: "answer" };
  const { access_token: credential } = await call(
    desk,
    "POST",
    `/v1/people/${id}/access-tokens`,
    token,
  );
  const by_user = await register(desk, { email: "ada@tides.example" });
  const other = await register(desk, { email: "bob@tides.example" });
  const ask = (by_user: string, for_plan: string) => create(desk, { by_user, for_plan });
  await v1.decline(desk, await ask(by_user, foreign));
  await v1.approve(desk, await ask(by_user, foreign), "?deliver=one_time_link");
  const outside = await ask(other, foreign);
  const one = await ask(by_user, mine);
  await v1.list(desk, "?q=tides");
  const hidden = ["declined_before", "keys_unused", "many_requests", "same_company"] as const;
  const all = await kinds(desk, one);
  assert.ok(hidden.every((kind) => all.includes(kind)), all.join());
  const hers = await call(desk, "GET", `${V1_REQUESTS}/${one}/hints`, undefined, credential);
  const seen = hers.data.map(({ hint }: Hint) => hint);
  assert.deepEqual(seen, all.filter((kind) => !hidden.some((one) => one === kind)));
  const foreigns = await desk.send("GET", `${V1_REQUESTS}/${outside}/hints`, { credential });
  await assertFailure(foreigns, "not_found");
});

testOnEngines(
  "hints: of no request, or another organisation's, they are not found",
  async (desk) => {
    const gone = await desk.send("GET", `${V1_REQUESTS}/65b0c1d2e3f4a5b6c7d8e9f0/hints`);
    await assertFailure(gone, "not_found");
  },
);

Deno.test("mixed scripts: of one word, seen as people see it", () => {
  const mixed = ["аda@example.org", "ada@exаmple.org", "ada@xn--exmple-4nf.org", "α1a@x.org"];
  for (const email of mixed) assert.ok(mixesScripts(email), email);
  const plain = [
    "ada@example.org",
    "иван@пример.рф",
    "ivan@пример.org",
    "山田taro@例え.jp",
    "józef.o'neil+keys@x-y.org",
    "",
    "@",
    "no address",
  ];
  for (const email of plain) assert.ok(!mixesScripts(email), email);
});

Deno.test("company: what developers gave, else the domain that is not everybody's", () => {
  const of = (email: string, fields = {}) => companyOf({ email, fields });
  assert.equal(of("a@gmail.com"), undefined);
  assert.equal(of("a@Acme.Example "), "@acme.example");
  assert.equal(of("a@gmail.com", { organisation: " Acme " }), "Acme");
  assert.equal(of("a@acme.example", { company: "" }), "@acme.example");
  assert.equal(of("", { company: 7 }), undefined);
});
