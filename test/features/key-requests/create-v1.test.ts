/** POST /v1/key-requests. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { known } from "../../support/known-parties.ts";
import { read } from "../../support/key-requests.ts";

const PATH = "/v1/key-requests";
const ASKED = { by_user: "dev", for_plan: "plan", fields: { use_case: "tides" } };

testOnEngines("v1 create: the request is there, pending, in both interfaces", async (desk) => {
  const response = await desk.send("POST", PATH, { body: { ...ASKED, approved: true } });
  assert.equal(response.status, 200);
  const made = await response.json();
  const { by_user, for_plan, fields, plans, state, approved, version } = made;
  assert.deepEqual({ by_user, for_plan, fields }, ASKED);
  assert.deepEqual([plans, state, approved, version], [["plan"], "pending", false, "v2"]);
  assert.equal(response.headers.get("etag"), `"${made.revision}"`);
  assert.deepEqual(await (await desk.send("GET", `${PATH}/${made.id}`)).json(), made);
  const { id, date_created } = await read(desk, made.id);
  assert.deepEqual({ id, date_created }, { id: made.id, date_created: made.date_created });
  await known(desk, made.id);
  const approval = await desk.send("POST", `${PATH}/${made.id}/approve`, {
    headers: { "if-match": `"${made.revision}"` },
  });
  assert.equal((await approval.json()).state, "issued");
});

testOnEngines(
  "v1 create: several plans, answers and an OAuth address are kept",
  async (desk) => {
    const body = {
      by_user: "dev",
      plans: ["one", "two"],
      oauth_info: { redirect_uri: "https://example.org/back" },
      certificate: "a certificate",
    };
    const { state: _, ...made } = await (await desk.send("POST", PATH, { body })).json();
    assert.equal(made.for_plan, "one");
    const { by_user, plans, oauth_info, certificate } = made;
    assert.deepEqual({ by_user, plans, oauth_info, certificate }, body);
  },
);

testOnEngines(
  "v1 create: plans are asked for by that word, and the older one is none",
  async (desk) => {
    const key = "a-key-that-the-developer-has-already";
    const body = { by_user: "dev", plans: ["one"], remove_plans: ["two"], key };
    const made = await (await desk.send("POST", PATH, { body })).json();
    assert.deepEqual([made.plans, made.remove_plans], [["one"], ["two"]]);
    assert.deepEqual([made.apply_policies, made.remove_policies], [undefined, undefined]);
    const older = await read(desk, made.id);
    assert.deepEqual([older.apply_policies, older.remove_policies], [["one"], ["two"]]);
    const { data: [listed] } = await (await desk.send("GET", PATH)).json();
    assert.deepEqual([listed.plans, listed.remove_plans], [["one"], ["two"]]);
    const refused = async (body: object, said: RegExp) => {
      const answer = await desk.send("POST", PATH, { body });
      assert.equal(answer.headers.get("x-keydesk-error"), "invalid_input");
      assert.match(await answer.text(), said);
    };
    await refused({ by_user: "dev" }, /for_plan: required, or plans"/);
    await refused({ by_user: "dev", apply_policies: ["one"] }, /apply_policies/);
  },
);

testOnEngines("v1 create: an answer that looks like a member stays as it is", async (desk) => {
  const fields = { apply_policies: '"apply_policies":["x"]', remove_policies: "y" };
  const body = { by_user: "dev", for_plan: "plan", fields };
  const made = await (await desk.send("POST", PATH, { body })).json();
  assert.deepEqual([made.fields, made.plans, made.remove_plans], [fields, ["plan"], []]);
});

testOnEngines(
  "v1 create: strict references refuse who and what nobody knows, another organisation's too",
  async (desk) => {
    const other = await desk.otherOrganisation();
    const send = (path: string, body: unknown, credential = desk.admin) =>
      desk.send("POST", path, { body, credential });
    const plan = (await (await send("/v1/plans", { name: "Ours" })).json()).id;
    const foreign = { by_user: "dev", for_plan: plan };
    await assertFailure(await send(PATH, foreign, other.admin), "unknown_plan");
    await assertFailure(await send(PATH, foreign), "unknown_developer");
    await send("/v1/developers", { id: "dev", email: "dev@example.org" });
    const first = await (await send(PATH, foreign)).json();
    // One waiting request for each developer and plan.
    assert.equal((await (await send(PATH, foreign)).json()).id, first.id);
  },
  { environment: { KEYDESK_REFERENCES: "strict" } },
);
