/**
 * The sync tool and the operator: what they read they write back, and documents are theirs to keep.
 */
import assert from "node:assert/strict";
import { raw, testOldClient } from "../../support/old-client.ts";

testOldClient("sync and operator: catalogue, configuration, documents", raw, async (client) => {
  const json = (method: string, path: string, body: unknown) =>
    client.typed(method, path, body, "application/json");
  const gold = (await json("POST", "/api/portal/policies", { name: "Gold" })).Message;
  assert.match(gold, /^[0-9a-f]{24}$/);
  await json("POST", "/api/portal/policies", {
    name: "Named",
    id: "silver",
    graphql_access_rights: { weather: { restricted_types: null } },
  });
  for (const plan of (await client.call("GET", "/api/portal/policies?p=-1")).Data) {
    assert.match(plan._id, /^[0-9a-f]{24}$/);
    // Read, changed and written back: nothing else is another afterwards.
    await json("PUT", `/api/portal/policies/${plan._id}`, { ...plan, tags: ["changed"] });
    const after = await client.call("GET", `/api/portal/policies/${plan._id}`);
    assert.deepEqual(after, { ...plan, tags: ["changed"] });
  }

  const sent = {
    api_id: "weather",
    doc_type: "swagger",
    documentation: btoa('{"openapi":"3.0.0"}'),
  };
  const id = (await json("POST", "/api/portal/documentation", sent)).Message;
  assert.deepEqual(await client.call("GET", `/api/portal/documentation/${id}`), { id, ...sent });
  const changed = { ...sent, documentation: btoa("{}") };
  await json("PUT", `/api/portal/documentation/${id}`, changed);

  const catalogue = await client.call("GET", "/api/portal/catalogue");
  catalogue.apis = [{ name: "Weather", policy_id: gold, documentation: id, api_id: "weather" }];
  await json("PUT", "/api/portal/catalogue", catalogue);
  const once = await client.call("GET", "/api/portal/catalogue");
  await json("PUT", "/api/portal/catalogue", once);
  assert.deepEqual(await client.call("GET", "/api/portal/catalogue"), once);
  assert.equal(once.apis[0].documentation, id);
  const configuration = await client.call("GET", "/api/portal/configuration");
  await json("PUT", "/api/portal/configuration", { ...configuration, signup_fields: ["Company"] });
  assert.deepEqual(await client.call("GET", "/api/portal/configuration"), {
    ...configuration,
    signup_fields: ["Company"],
  });

  await client.call("DELETE", `/api/portal/documentation/${id}`);
  await client.call("GET", `/api/portal/documentation/${id}`, undefined, 404);
});
