/**
 * The Ruby portal that teams copied: sign up, catalogue, ask, log in, and the dashboard behind it.
 */
import assert from "node:assert/strict";
import { aroundToday, raw, testOldClient } from "../../support/old-client.ts";

testOldClient("ruby portal: from sign-up to a key and the log-in", raw, async (portal) => {
  const gold = (await portal.call("POST", "/api/portal/policies", { name: "Gold" })).Message;
  await portal.call("POST", "/api/portal/configuration", { require_key_approval: false });
  const entry = { name: "Weather", show: true, policy_id: gold, api_id: "weather" };
  await portal.call("PUT", "/api/portal/catalogue", { apis: [entry] });

  const email = "ada+portal@example.org";
  const account = { email, password: "correct horse", inactive: false, fields: { Name: "Ada" } };
  const ada = (await portal.call("POST", "/api/portal/developers", account)).Message;
  const taken = await portal.call("POST", "/api/portal/developers", account, 400);
  assert.equal(taken.Message, "email: belongs to another developer");
  const weak = { email: "bob@example.org", password: "secret" };
  const refused = await portal.call("POST", "/api/portal/developers", weak, 400);
  assert.equal(refused.Message, "Developer object validation failed.");

  const { apis } = await portal.call("GET", "/api/portal/catalogue");
  assert.deepEqual(apis.map((api: { policy_id: string }) => api.policy_id), [gold]);
  const found = await portal.call(
    "GET",
    `/api/portal/developers/email/${encodeURIComponent(email)}`,
  );
  assert.equal(found.id, ada);
  const { require_key_approval } = await portal.call("GET", "/api/portal/configuration");
  assert.equal(require_key_approval, false);
  const request = (await portal.call("POST", "/api/portal/requests", {
    by_user: found.id,
    fields: { usecase: "charts", traffic: "little" },
    date_created: "2026-11-20 10:00:00 +0100".replace(/^(\S+) (\S+) (...)(..)$/, "$1T$2$3:$4"),
    version: "v2",
    for_plan: gold,
  })).Message;
  const { RawKey } = await portal.call("PUT", `/api/portal/requests/approve/${request}`);
  assert.ok(RawKey.length > 40);

  const use = (hashes: string) =>
    portal.call(
      "GET",
      `/api/activity/keys/aggregate/${hashes}/${aroundToday()}?p=-1&res=day`,
    );
  // Without keys it asks for a comma alone, and reads the array that is there all the same.
  assert.deepEqual(await use(","), { data: [], pages: 0 });

  const login = { username: email, password: "correct horse" };
  const path = "/api/portal/developers/verify_credentials";
  assert.equal((await portal.call("POST", path, login)).Message, ada);
  await portal.call("POST", path, { ...login, password: "wrong horse" }, 401);
  const { keys, subscriptions } = await portal.call("GET", `/api/portal/developers/${ada}`);
  assert.deepEqual(Object.keys(keys), [subscriptions[gold]]);

  await portal.useKey(RawKey);
  const { data } = await use(`${subscriptions[gold]},`);
  assert.equal(data.length, 1);
  const [{ id, hits, success, error }] = data;
  assert.deepEqual([hits, success, error], [1, 1, 0]);
  assert.deepEqual(Object.keys(id), ["day", "month", "year", "hour", "code"]);
});
