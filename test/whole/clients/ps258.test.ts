/**
 * The Python module of the scripts: plans, catalogue, certificates, keys, and whether the server is
 * up.
 */
import assert from "node:assert/strict";
import { made } from "../../support/certificates.ts";
import { raw, testOldClient } from "../../support/old-client.ts";

testOldClient("ps258: plans, catalogue, certificates, keys and isUp", raw, async (client) => {
  const json = (method: string, path: string, body: unknown, status?: number) =>
    client.typed(method, path, body, "application/json", status);
  const gold = (await json("POST", "/api/portal/policies", { name: "Gold" })).Message;
  const plan = await client.call("GET", `/api/portal/policies/${gold}`);
  await json("PUT", `/api/portal/policies/${gold}`, { ...plan, rate: 5, per: 1 });
  assert.equal((await client.call("GET", "/api/portal/policies/?p=-1")).Data[0].rate, 5);

  const catalogue = await client.call("GET", "/api/portal/catalogue");
  catalogue.apis.push({ name: "Weather", policy_id: gold, show: true });
  await json("PUT", "/api/portal/catalogue", catalogue);
  assert.equal((await client.call("GET", "/api/portal/catalogue")).apis[0].name, "Weather");

  const form = new FormData();
  form.append("data", new Blob([new TextEncoder().encode(made({ cn: "example.org" }))]), "c.pem");
  const { id } = await client.call("POST", "/api/certs", form);
  assert.deepEqual((await client.call("GET", "/api/certs")).certs, [id]);
  const detailed = await client.call("GET", "/api/certs?p=-1&mode=detailed");
  assert.equal(detailed.cert_basics[0].id, id);
  assert.equal((await client.call("GET", `/api/certs/${id}`)).id, id);
  await client.call("DELETE", `/api/certs/${id}`);
  await client.call("DELETE", `/api/certs/${id}`, undefined, 404);

  const ada = (await json("POST", "/api/portal/developers", { email: "ada@example.org" })).Message;
  const { RawKey } = await json("POST", `/api/portal/developers/${ada}/keys`, {
    apply_policies: [gold],
  });
  const { data: { keys: [hash] } } = await client.call("GET", "/api/apis/-/keys?p=-1");
  const { data } = await client.call("GET", `/api/apis/-/keys/${hash}`);
  assert.deepEqual([data.apply_policies, data.rate], [[gold], 5]);
  // getKey.py and getKeys.py read these of each key.
  assert.deepEqual([data.alias, data.tags, data.meta_data.tyk_developer_id], ["", [], ada]);
  const all = await client.call("GET", "/api/keys/detailed/?p=-1");
  assert.deepEqual([all.keys[0].key_id, all.keys.length], [hash, 1]);
  assert.ok(!JSON.stringify(all).includes(RawKey));
  const revoked = await client.call("DELETE", `/api/keys/${hash}/?auto_guess=true`);
  assert.equal(revoked.Status, "OK");
  assert.deepEqual((await client.call("GET", "/api/apis/-/keys?p=-1")).data.keys, []);

  assert.equal((await client.call("GET", "/hello")).status, "pass");
  await client.call("DELETE", `/api/portal/policies/${gold}`);
  await client.call("GET", `/api/portal/policies/${gold}`, undefined, 404);
});
