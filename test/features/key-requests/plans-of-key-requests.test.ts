/**
 * Where a plan and its auth type come from, what is refused, and references to records that nobody
 * knows.
 */
import assert from "node:assert/strict";
import type { FailureCode } from "../../../src/kernel/failure-codes.ts";
import { assertFailure, assertInvalid } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  approve,
  create,
  createAndRead,
  listIds,
  pathOf,
  REQUESTS,
  type Sent,
  smallRequest,
} from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";
import { registeredDevelopers, storedCredentials } from "../../support/stored.ts";

const STRICT = { KEYDESK_REFERENCES: "strict" };
const NO_PLAN = "for_plan: required, or apply_policies, or catalogue_entry.policy_id";

async function refuses(desk: TestDesk, sent: Sent, code: FailureCode): Promise<void> {
  const before = await listIds(desk);
  await assertFailure(await desk.send("POST", REQUESTS, { body: smallRequest(sent) }), code);
  assert.deepEqual(await listIds(desk), before);
}

/** What kind of credential an approval of this request issues. */
async function kindOf(desk: TestDesk, sent: Sent): Promise<string | undefined> {
  const id = await create(desk, smallRequest(sent));
  await approve(desk, id);
  return (await storedCredentials(desk)).find((credential) => credential.request_id === id)?.kind;
}

testOnEngines(
  "plans: for_api alone names the live entry's plan",
  async (desk) => {
    await liveRecordsOf(desk).catalogue(
      { api_id: "api-a", policy_id: "plan-a" },
      { api_id: "api-b", policy_id: "plan-b", name: "B" },
    );
    const shown = await createAndRead(desk, { by_user: "dev-ada", for_api: "api-b" });
    assert.equal(shown.for_api, "api-b");
    assert.equal(shown.for_plan, "plan-b");
    assert.deepEqual(shown.apply_policies, ["plan-b"]);
    assert.equal(shown.catalogue_entry.name, "B");
  },
  { extra: liveRecords },
);

testOnEngines(
  "plans: a plan that is named wins over for_api",
  async (desk) => {
    await liveRecordsOf(desk).catalogue({ api_id: "api-a", policy_id: "plan-a" });
    const plan = async (sent: Sent) =>
      (await createAndRead(desk, { by_user: "dev-ada", for_api: "api-a", ...sent })).for_plan;
    assert.equal(await plan({ for_plan: "plan-x" }), "plan-x");
    assert.equal(await plan({ apply_policies: ["plan-y"] }), "plan-y");
    assert.equal(await plan({ catalogue_entry: { policy_id: "plan-z" } }), "plan-z");
  },
  { extra: liveRecords },
);

testOnEngines(
  "plans: a for_api that no live entry of the organisation has names no plan",
  async (desk) => {
    const other = await desk.otherOrganisation();
    await liveRecordsOf(desk, other.org_id).catalogue({ api_id: "api-a", policy_id: "plan-a" });
    const body = { by_user: "dev-ada", for_api: "api-a" };
    await assertInvalid(await desk.send("POST", REQUESTS, { body }), NO_PLAN);
  },
  { extra: liveRecords },
);

testOnEngines(
  "auth type: the live plan, else the live entry, else the embedded one, else token",
  async (desk) => {
    const live = liveRecordsOf(desk);
    const catalogue_entry = { policy_id: "plan-weather", auth_type: "oauth" };
    assert.equal(await kindOf(desk, {}), "token");
    assert.equal(await kindOf(desk, { catalogue_entry }), "oauth");
    assert.equal(await kindOf(desk, { catalogues: [catalogue_entry] }), "oauth");
    await live.catalogue({ api_id: "api", policy_id: "plan-weather", auth_type: "basic" });
    assert.equal(await kindOf(desk, { catalogue_entry }), "basic");
    await live.plan("plan-weather", "authToken");
    assert.equal(await kindOf(desk, { catalogue_entry }), "token");
  },
  { extra: liveRecords },
);

testOnEngines("auth type: an embedded entry speaks for its own plan alone", async (desk) => {
  const catalogue_entry = { policy_id: "plan-other", auth_type: "basic" };
  assert.equal(await kindOf(desk, { catalogue_entry }), "token");
});

testOnEngines(
  "auth type: keyless is refused on create, from each source",
  async (desk) => {
    const live = liveRecordsOf(desk);
    const policy_id = "plan-weather";
    await refuses(desk, { catalogue_entry: { policy_id, is_keyless: true } }, "keyless_plan");
    await refuses(desk, { catalogue_entry: { policy_id, auth_type: "keyless" } }, "keyless_plan");
    await refuses(desk, { catalogues: [{ policy_id, is_keyless: true }] }, "keyless_plan");
    await live.catalogue({ api_id: "api", policy_id, is_keyless: true, auth_type: "basic" });
    await refuses(desk, {}, "keyless_plan");
    await refuses(desk, { for_plan: "x", apply_policies: ["x", policy_id] }, "keyless_plan");
    await live.plan("plan-free", "keyless");
    await refuses(desk, { for_plan: "plan-free" }, "keyless_plan");
    await refuses(desk, { for_plan: "plan-free", oauth_info: {} }, "keyless_plan");
  },
  { extra: liveRecords },
);

testOnEngines(
  "auth type: a live plan that needs a key wins over a keyless entry",
  async (desk) => {
    await liveRecordsOf(desk).plan("plan-weather", "basic");
    const catalogue_entry = { policy_id: "plan-weather", is_keyless: true };
    assert.equal(await kindOf(desk, { catalogue_entry }), "basic");
  },
  { extra: liveRecords },
);

testOnEngines(
  "auth type: plans that differ are refused on create and update",
  async (desk) => {
    const live = liveRecordsOf(desk);
    await live.plan("plan-basic", "basic");
    await live.plan("plan-oauth", "oauth");
    const apply_policies = ["plan-basic", "plan-oauth"];
    await refuses(desk, { for_plan: "plan-basic", apply_policies }, "mixed_auth_types");
    await refuses(
      desk,
      { for_plan: "plan-unknown", apply_policies: ["plan-basic"] },
      "mixed_auth_types",
    );
    const id = await create(desk, smallRequest());
    const body = smallRequest({ for_plan: "plan-basic", apply_policies });
    await assertFailure(await desk.send("UPDATE", pathOf(id), { body }), "mixed_auth_types");
    await live.plan("plan-basic-2", "basic");
    const same = { for_plan: "plan-basic", apply_policies: ["plan-basic-2"] };
    assert.equal(await kindOf(desk, same), "basic");
  },
  { extra: liveRecords },
);

testOnEngines(
  "auth type: keyless is refused on update, and the request stays",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await liveRecordsOf(desk).plan("plan-free", "keyless");
    const body = smallRequest({ for_plan: "plan-free" });
    await assertFailure(await desk.send("UPDATE", pathOf(id), { body }), "keyless_plan");
  },
  { extra: liveRecords },
);

testOnEngines("references open: any developer and plan id is taken", async (desk) => {
  const shown = await createAndRead(desk, { by_user: "nobody", for_plan: "nothing" });
  assert.deepEqual([shown.by_user, shown.for_plan], ["nobody", "nothing"]);
  assert.deepEqual(await registeredDevelopers(desk), []);
});

testOnEngines(
  "references strict: every plan must be a live plan of the organisation",
  async (desk) => {
    const live = liveRecordsOf(desk);
    await live.developer({ id: "dev-ada", email: "ada@example.org" });
    await live.plan("plan-a");
    await live.catalogue({ api_id: "api", policy_id: "plan-weather" });
    const other = await desk.otherOrganisation();
    await liveRecordsOf(desk, other.org_id).plan("plan-weather");
    await refuses(desk, {}, "unknown_plan");
    await refuses(desk, { catalogue_entry: { policy_id: "plan-weather" } }, "unknown_plan");
    await refuses(desk, { for_plan: "plan-a", apply_policies: ["plan-a", "x"] }, "unknown_plan");
    const id = await create(desk, smallRequest({ for_plan: "plan-a" }));
    const response = await desk.send("UPDATE", pathOf(id), { body: smallRequest() });
    await assertFailure(response, "unknown_plan");
  },
  { environment: STRICT, extra: liveRecords },
);

testOnEngines(
  "references strict: an unknown developer is refused, an embedded one registered",
  async (desk) => {
    const live = liveRecordsOf(desk);
    await live.plan("plan-weather");
    const other = await desk.otherOrganisation();
    await liveRecordsOf(desk, other.org_id).developer({ id: "dev-ada", email: "ada@example.org" });
    await refuses(desk, {}, "unknown_developer");
    await refuses(desk, { portal_developer: { id: "dev-bob" } }, "unknown_developer");
    assert.deepEqual(await registeredDevelopers(desk), []);
    const portal_developer = { id: "dev-ada", email: "ada@example.org" };
    const id = await create(desk, smallRequest({ portal_developer }));
    assert.deepEqual(await registeredDevelopers(desk), ["dev-ada"]);
    await approve(desk, id);
  },
  { environment: STRICT, extra: liveRecords },
);

testOnEngines(
  "references strict: an e-mail of another developer is refused",
  async (desk) => {
    const live = liveRecordsOf(desk);
    await live.plan("plan-weather");
    await live.developer({ id: "dev-bob", email: "bob@example.org" });
    const portal_developer = { id: "dev-ada", email: "BOB@example.org" };
    await refuses(desk, { portal_developer }, "email_taken");
    assert.deepEqual(await registeredDevelopers(desk), ["dev-bob"]);
  },
  { environment: STRICT, extra: liveRecords },
);
