/** Who names a certificate: plans, catalogue entries, and the keys of requests. */
import assert from "node:assert/strict";
import {
  requestsNamingAny,
  requestsWithCertificate,
} from "../../../src/features/key-requests/requests-with-certificate.store.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { made } from "../../support/certificates.ts";
import { CATALOGUE, POLICIES, post, succeed } from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { plansOf } from "../../support/query-plans.ts";

async function upload(desk: TestDesk, cn = "example.org"): Promise<string> {
  return (await succeed<{ id: string }>(desk, "POST", "/api/certs", { body: made({ cn }) })).id;
}

testOnEngines("certificate uses: nobody, then plans, APIs and keys that name it", async (desk) => {
  const id = await upload(desk);
  const other = await upload(desk, "other.example.org");
  const uses = () => succeed(desk, "GET", `/api/certs/dependencies/${id}`);
  const apis = () => succeed(desk, "GET", `/api/certs/${id}/apis`);
  const vendors = {
    certID: id,
    client_cert_apis: [],
    client_cert_api_names: [],
    upstream_cert_apis: [],
    upstream_cert_api_names: [],
    key_cert: "",
  };
  assert.deepEqual(await uses(), { ...vendors, policies: [], keys: [], apis: [] });
  assert.deepEqual(await apis(), { cert_id: id, apis: [], pages: 0 });

  const rights = { weather: { api_id: "weather", api_name: "Weather", certificates: [id] } };
  const plan = await post(desk, POLICIES, { name: "Gold", access_rights: rights });
  await post(desk, POLICIES, { name: "Other", access_rights: { maps: { certificates: [other] } } });
  const entry = { name: "Tides", api_id: "tides", fields: { certificate: id } };
  await succeed(desk, "PUT", CATALOGUE, { body: { apis: [entry, { name: "None" }] } });
  const { RawKey } = await approve(desk, await create(desk, smallRequest({ certificate: id })));
  await approve(desk, await create(desk, smallRequest({ certificate: other })));
  await create(desk, smallRequest());

  assert.deepEqual(await uses(), {
    ...vendors,
    client_cert_apis: ["tides", "weather"],
    client_cert_api_names: ["Tides", "Weather"],
    key_cert: sha256(RawKey),
    policies: [{ id: plan, name: "Gold" }],
    keys: [sha256(RawKey)],
    apis: ["tides", "weather"],
  });
  const shown = (api_id: string, name: string) => ({
    api_id,
    name,
    usage_type: "client_certificates",
    tyk_api_type: "classic",
    api_definition: { api_id, name, id: api_id, active: true },
  });
  assert.deepEqual(await apis(), {
    cert_id: id,
    apis: [shown("tides", "Tides"), shown("weather", "Weather")],
    pages: 1,
  });

  // A plan that names it anywhere gives every API of its access rights.
  const [meta_data, access_rights] = [{ certificate: id }, { rain: { api_name: "Rain" }, sun: {} }];
  const second = await post(desk, POLICIES, { name: "Meta", meta_data, access_rights });
  const { policies, apis: named } = await uses() as {
    policies: { id: string }[];
    apis: string[];
  };
  assert.ok(policies.some((one) => one.id === second));
  assert.deepEqual(named.toSorted(), ["rain", "sun", "tides", "weather"]);

  // Deleting dependencies changes no plan and no key.
  const before = await uses();
  assert.deepEqual(await succeed(desk, "DELETE", `/api/certs/dependencies/${id}`), {
    Status: "OK",
    Message: "Certificate dependencies deletion successfully attempted.",
    Meta: null,
  });
  assert.deepEqual(await uses(), before);

  await succeed(desk, "DELETE", `/api/keys/${sha256(RawKey)}`);
  assert.deepEqual((await uses() as { keys: string[] }).keys, []);
});

testOnEngines("certificate uses: under /v1 by name, and a key's note is not told", async (desk) => {
  const id = await upload(desk);
  const path = `/v1/certificates/${id}/uses`;
  const none = { plans: [], apis: [], keys: [], more_keys: 0 };
  assert.deepEqual(await succeed(desk, "GET", path), none);
  const rights = {
    weather: { api_id: "weather", certificates: [id] },
    rain: { api_name: "Rain" },
    sun: {},
  };
  const plan = await post(desk, POLICIES, { name: "Gold", access_rights: rights });
  const entries = [{ name: "Weather", api_id: "weather", fields: {} }, { name: "None" }];
  await succeed(desk, "PUT", CATALOGUE, { body: { apis: entries } });
  const { RawKey } = await approve(desk, await create(desk, smallRequest({ certificate: id })));
  const key_id = sha256(RawKey);
  const { mask } = await succeed<{ mask: string }>(desk, "GET", `/v1/keys/${key_id}`);
  await succeed(desk, "PUT", `/v1/keys/${key_id}/labels`, { body: { name: "Till", note: "Hush" } });
  assert.deepEqual(await succeed(desk, "GET", path), {
    plans: [{ id: plan, name: "Gold" }],
    apis: [
      { id: "weather", name: "Weather" },
      { id: "rain", name: "Rain" },
      { id: "sun", name: "sun" },
    ],
    keys: [{ key_id, name: "Till", mask }],
    more_keys: 0,
  });
  const credential = await desk.token(["certs:read"]);
  const counted = await succeed<{ keys: unknown[] }>(desk, "GET", path, { credential });
  assert.partialDeepStrictEqual(counted, { keys: [], more_keys: 1 });
  for (let more = 0; more < 20; more++) {
    await approve(desk, await create(desk, smallRequest({ certificate: id })));
  }
  const { keys, more_keys } = await succeed<{ keys: unknown[]; more_keys: number }>(
    desk,
    "GET",
    path,
  );
  assert.deepEqual([keys.length, more_keys], [20, 1]);
});

Deno.test("sqlite: requests that name a certificate are found without a look at the others", async () => {
  const [walk] = await plansOf((tx) => requestsWithCertificate(tx, "org", "certificate"));
  assert.match(
    walk?.plan ?? "",
    /^SEARCH key_requests USING INDEX key_requests_certificate \(org_id=\? AND id>\?\)$/,
  );
  const [newest] = await plansOf((tx) => requestsNamingAny(tx, "org", "~"));
  assert.match(
    newest?.plan ?? "",
    /^SEARCH key_requests USING INDEX key_requests_certificate \(org_id=\? AND id<\?\)$/,
  );
});
