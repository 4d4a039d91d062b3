/** Bootstrap scripts: curl's form type with JSON in it, in the order of a demo installation. */
import assert from "node:assert/strict";
import { made } from "../../support/certificates.ts";
import { raw, testOldClient } from "../../support/old-client.ts";

const FORM = "application/x-www-form-urlencoded";

testOldClient("scripts: a whole portal from nothing, JSON sent as a form", raw, async (client) => {
  const curl = (method: string, path: string, body: unknown) =>
    client.typed(method, path, body, FORM);
  await curl("POST", "/api/portal/configuration", {});
  await curl("POST", "/api/portal/catalogue", { org_id: "5e9d9544a1dcd60001d0ed20" });
  const catalogue = await client.call("GET", "/api/portal/catalogue");
  for (const name of ["Weather", "Tides"]) {
    const sent = {
      name,
      _id: `5ead7120575961000181867${name.length}`,
      id: `${name}-plan`,
      state: "active",
      partitions: { quota: false, rate_limit: false, acl: false, per_api: false },
      meta_data: { tier: name },
      throttle_interval: -1,
      hmac_enabled: false,
      auth_types: null,
    };
    const plan = (await curl("POST", "/api/portal/policies", sent)).Message;
    assert.equal(plan, sent._id);
    for (const either of [sent._id, sent.id]) {
      const kept = await client.call("GET", `/api/portal/policies/${either}`);
      for (const [member, value] of Object.entries(sent)) {
        assert.deepEqual(kept[member], value, member);
      }
    }
    const documentation = (await curl("POST", "/api/portal/documentation", {
      api_id: "",
      doc_type: "swagger",
      documentation: btoa(name),
    })).Message;
    catalogue.apis.push({
      name,
      short_description: name,
      show: true,
      policy_id: plan,
      documentation,
      version: "v2",
      hasDocumentation: true,
    });
    await curl("PUT", "/api/portal/catalogue", catalogue);
  }
  const { apis } = await client.call("GET", "/api/portal/catalogue");
  for (const { documentation, name, hasDocumentation } of apis) {
    assert.equal(hasDocumentation, true);
    const document = await client.call("GET", `/api/portal/documentation/${documentation}`);
    assert.equal(document.documentation, btoa(name));
  }
  const ada = { email: "ada@example.org", password: "correct horse", inactive: false };
  assert.equal((await curl("POST", "/api/portal/developers", ada)).Status, "OK");
  const form = new FormData();
  form.append("data", new Blob([new TextEncoder().encode(made({ cn: "example.org" }))]), "c.pem");
  assert.equal((await client.call("POST", "/api/certs", form)).status, "ok");
});
