/** The Node client: text bodies without a Content-Type, slashes at the end. */
import assert from "node:assert/strict";
import { OldClient, raw, testOldClient } from "../../support/old-client.ts";

testOldClient("node client: requests, developers and policies", raw, async (client) => {
  const rights = { weather: { api_id: "weather" } };
  const plan = { name: "Gold", access_rights: rights };
  const gold = (await client.call("POST", "/api/portal/policies/", plan)).Message;
  const ada = { email: "ada@example.org", password: "correct horse" };
  const id = (await client.call("POST", "/api/portal/developers/", ada)).Message;
  const sent = { by_user: id, for_plan: gold, version: "v2" };
  const request = (await client.call("POST", "/api/portal/requests/", sent)).Message;
  assert.equal((await client.call("GET", "/api/portal/requests/")).Data.length, 1);
  assert.equal((await client.call("GET", `/api/portal/requests/${request}`)).by_user, id);
  await client.call("PUT", `/api/portal/requests/approve/${request}`);

  assert.equal((await client.call("GET", "/api/portal/developers/")).Data.length, 1);
  const byEmail = await client.call("GET", "/api/portal/developers/email/ada%40example.org");
  assert.equal(byEmail.id, id);
  const { Data, Pages } = await client.call("GET", "/api/portal/developers/api/weather");
  assert.deepEqual([Data[0].id, Data.length, Pages], [id, 1, 1]);
  await client.call("PUT", `/api/portal/developers/${id}`, { ...byEmail, fields: { a: "b" } });
  assert.deepEqual((await client.call("GET", `/api/portal/developers/${id}/`)).fields, { a: "b" });
  assert.equal((await client.call("GET", "/api/portal/policies/")).Data.length, 1);
  assert.equal((await client.call("GET", `/api/portal/policies/${gold}`)).name, "Gold");

  assert.equal(
    (await client.call("DELETE", `/api/portal/requests/${request}`)).Message,
    "Data deleted",
  );
  await client.call("DELETE", `/api/portal/developers/${id}`);
  await client.call("GET", `/api/portal/developers/${id}`, undefined, 404);
  const nobody = new OldClient(client.desk, client.base, {});
  await nobody.call("GET", "/api/portal/requests/", undefined, 401);
});
