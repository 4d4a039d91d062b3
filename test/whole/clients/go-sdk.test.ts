/** The vendor's generated Go SDK: certificates, their dependencies, policies, typed errors. */
import assert from "node:assert/strict";
import { made } from "../../support/certificates.ts";
import { testOldClient } from "../../support/old-client.ts";

const generated = (credential: string) => ({
  authorization: `Bearer ${credential}`,
  "user-agent": "OpenAPI-Generator/1.0.0/go",
  accept: "application/json",
});

/** Specification 2.1, and nothing else. */
const EIGHT = [
  "id",
  "dns_names",
  "has_private",
  "is_ca",
  "issuer_cn",
  "subject_cn",
  "not_after",
  "not_before",
];

testOldClient("go sdk: both strict shapes of the list of certificates", generated, async (sdk) => {
  const pem = made({ cn: "example.org" });
  const { id } = await sdk.typed("POST", "/api/certs", pem, "application/x-pem-file");
  assert.deepEqual(await sdk.call("GET", "/api/certs?p=1"), { certs: [id], pages: 1 });
  const detailed = await sdk.call("GET", "/api/certs?p=1&mode=detailed");
  assert.deepEqual(Object.keys(detailed), ["cert_basics", "pages"]);
  assert.deepEqual(Object.keys(detailed.cert_basics[0]), EIGHT);
}, { environment: { KEYDESK_CERTS_ANSWER: "original" } });

testOldClient("go sdk: certificates, dependencies, policies, errors", generated, async (sdk) => {
  const form = new FormData();
  form.append("file", new Blob([new TextEncoder().encode(made({ cn: "example.org" }))]), "c.pem");
  const added = await sdk.call("POST", "/api/certs", form);
  assert.deepEqual(Object.keys(added), ["id", "message", "status"]);
  const { id } = added;
  assert.equal((await sdk.call("GET", `/api/certs/${id}`)).id, id);
  const details = await sdk.call("GET", "/api/certs/details?p=1");
  assert.deepEqual([details.certificates[0].id, details.pages], [id, 1]);
  const rights = { weather: { api_id: "weather", api_name: "Weather", certificates: [id] } };
  const using = { name: "Silver", access_rights: rights };
  await sdk.typed("POST", "/api/portal/policies", using, "application/json");
  const { certID, client_cert_apis, client_cert_api_names, key_cert } = await sdk.call(
    "GET",
    `/api/certs/dependencies/${id}`,
  );
  assert.deepEqual([certID, key_cert], [id, ""]);
  assert.deepEqual([client_cert_apis, client_cert_api_names], [["weather"], ["Weather"]]);
  const { cert_id, apis } = await sdk.call("GET", `/api/certs/${id}/apis`);
  assert.deepEqual([cert_id, apis[0].api_id, apis[0].name], [id, "weather", "Weather"]);
  assert.deepEqual(await sdk.call("DELETE", `/api/certs/dependencies/${id}`), {
    Status: "OK",
    Message: "Certificate dependencies deletion successfully attempted.",
    Meta: null,
  });
  const removed = await sdk.call("DELETE", `/api/certs/${id}`);
  assert.deepEqual(removed, { message: "removed", status: "ok" });

  const plan = { name: "Gold", rate: 10, per: 1 };
  const created = await sdk.typed("POST", "/api/portal/policies", plan, "application/json");
  assert.deepEqual([created.Status, created.Meta], ["OK", null]);
  const path = `/api/portal/policies/${created.Message}`;
  await sdk.typed("PUT", path, { ...plan, rate: 20 }, "application/json");
  assert.equal((await sdk.call("GET", path)).rate, 20);
  const missing = await sdk.call("GET", "/api/portal/policies/none", undefined, 404);
  assert.deepEqual(Object.keys(missing), ["Status", "Message", "Meta"]);
  assert.equal((await sdk.call("DELETE", path)).Message, "Data deleted");
});
