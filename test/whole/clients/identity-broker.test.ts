/** The identity broker at each sign-in: found by sso_key, else created, and written back whole. */
import assert from "node:assert/strict";
import { OldClient, raw, testOldClient } from "../../support/old-client.ts";

const ZERO = "0001-01-01T00:00:00Z";

/** A developer as its Go structure is written. */
function developer(sso_key: string, email: string, nonce: string) {
  return {
    id: "",
    email,
    password: "",
    date_created: ZERO,
    inactive: false,
    org_id: "5e9d9544a1dcd60001d0ed20",
    api_keys: null,
    keys: null,
    subscriptions: null,
    fields: null,
    nonce,
    sso_key,
    oauth_clients: null,
    password_max_days: 0,
    password_updated: ZERO,
    PWHistory: null,
    last_login_date: ZERO,
  };
}

/**
 * Its first call at each sign-in, as its Go structure is written, to an address or the next one
 * where that fails.
 */
function ssoCall(EmailAddress: string, ForSection = "portal") {
  return {
    ForSection,
    OrgID: "5e9d9544a1dcd60001d0ed20",
    EmailAddress,
    DisplayName: "Ada",
    GroupID: "",
    GroupsIDs: [],
    SSOOnlyForRegisteredUsers: false,
  };
}

/** What the broker does, and the id of the developer who is signed in then. */
async function signIn(broker: OldClient, sso_key: string, email: string): Promise<string> {
  const asked = await broker.typed("POST", "/api/sso", ssoCall(email), "application/json");
  const { Meta: nonce, ...created } = asked;
  assert.deepEqual(created, { Status: "OK", Message: "SSO Nonce created." });
  const path = `/api/portal/developers/ssokey/${encodeURIComponent(sso_key)}`;
  const found = await broker.raw("GET", path);
  const json = "application/json";
  if (found.status === 404) {
    const sent = developer(sso_key, email, nonce);
    await broker.typed("POST", "/api/portal/developers", sent, json);
  } else {
    assert.equal(found.status, 200);
    const body = { ...JSON.parse(found.text), nonce, password: "" };
    await broker.typed("PUT", `/api/portal/developers/${body.id}`, body, json);
  }
  const shown = await broker.call("GET", path);
  assert.equal(shown.nonce, nonce);
  assert.match(shown.id, /^[0-9a-f]{24}$/);
  assert.match(shown.date_created, /^20/);
  // The browser comes back to the portal with it.
  const redeemed = await broker.call("POST", "/v1/sso/redeem", { nonce });
  assert.deepEqual(redeemed, { developer_id: shown.id });
  return shown.id;
}

testOldClient(
  "identity broker: one developer for each identity, however often",
  raw,
  async (broker) => {
    const sso_key = "104792871@social";
    const ada = await signIn(broker, sso_key, "ada@example.org");
    const before = await broker.call("GET", `/api/portal/developers/${ada}`);
    const plan = (await broker.call("POST", "/api/portal/policies", { name: "Gold" })).Message;
    const sent = { by_user: ada, for_plan: plan };
    const request = (await broker.call("POST", "/api/portal/requests", sent)).Message;
    await broker.call("PUT", `/api/portal/requests/approve/${request}`);
    for (let n = 0; n < 3; n++) {
      assert.equal(await signIn(broker, sso_key, "ada@example.org"), ada);
    }
    const after = await broker.call("GET", `/api/portal/developers/${ada}`);
    assert.equal(after.date_created, before.date_created);
    assert.equal(Object.keys(after.keys).length, 1);

    assert.notEqual(await signIn(broker, "bob@social", "bob@example.org"), ada);
    assert.equal((await broker.call("GET", "/api/portal/developers")).Data.length, 2);
    const byEmail = await broker.call("GET", "/api/portal/developers/email/ada%40example.org");
    assert.equal(byEmail.id, ada);
    assert.equal(byEmail.sso_key, sso_key);
  },
);

testOldClient("identity broker: to the dashboard nobody is signed in", raw, async (broker) => {
  const call = ssoCall("ada@example.org", "dashboard");
  const refused = await broker.call("POST", "/api/sso", call, 403);
  assert.deepEqual(refused, { Status: "Error", Message: "SSO not enabled for org.", Meta: null });
  for (const section of ["dashboard", "portal"]) {
    await broker.call("POST", "/admin/sso", ssoCall("ada@example.org", section), 404);
  }
});

testOldClient(
  "identity broker: without `secrets` it finds, and clears nothing",
  raw,
  async (admin) => {
    await signIn(admin, "104792871@social", "ada@example.org");
    const credential = await admin.desk.token(["portal:write"]);
    const broker = new OldClient(admin.desk, admin.base, raw(credential));
    const path = "/api/portal/developers/ssokey/104792871%40social";
    const found = await broker.call("GET", path);
    assert.equal(found.sso_key, "");
    await broker.call("PUT", `/api/portal/developers/${found.id}`, found);
    assert.equal((await broker.call("GET", path)).id, found.id);
  },
);
