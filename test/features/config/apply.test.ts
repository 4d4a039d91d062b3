/** A declaration of an organisation: compared, applied whole or not at all, and read again. */
import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { operatorOf } from "../../support/config.ts";

const CONFIG = {
  branding: { name: "Coastal Data" },
  portal: { enabled: true, sign_up: "invitation" },
  portal_questions: { key_request_fields: [{ name: "team", required: true }] },
  alerts: { days: [7, 30], at_end: true },
  sign_in: { tokens: true, domains: ["example.org"] },
  roles: [{ name: "First line", permissions: ["revoke", "portal:read"] }],
  plans: [
    {
      name: "Gold",
      rate: 10,
      per: 1,
      tags: ["paid"],
      access_rights: { tides: { api_id: "tides" } },
    },
    { name: "Free", rate: 1, per: 1, approval: "automatic", extra: { custom: { any: [1, null] } } },
  ],
  apis: [{
    id: "tides",
    name: "Tides",
    plans: ["Free", "Gold"],
    visibility: "public",
    document: { type: "swagger", text: '{"openapi":"3.1.0"}' },
  }],
  default_approval_policy: { outcome: "one", not_by_filer: true },
  approval_policies: [{
    plan: "Gold",
    outcome: "steps",
    steps: [{ name: "Platform", need: 1 }],
    expires_after_days: 30,
    remind_before_days: 3,
  }],
  unused_key_rules: [{ plan: "Free", action: "suspend", after_days: 90 }],
  channels: [{ name: "Hook", url: "https://hooks.example.org/a", topics: ["key.*"] }],
  gateways: [
    { connection: "checks", kind: "nginx", name: "edge-1", silent_minutes: 5 },
    {
      connection: "synced",
      name: "City",
      url: "https://gateway.example.org",
      plans: ["Gold"],
      secret: "${env:CITY_SECRET}",
    },
  ],
};

testOnEngines("a declaration is applied, and compared again changes nothing", async (desk) => {
  const client = operatorOf(desk);
  const references = { "env:CITY_SECRET": "not-to-be-seen" };
  const body = { config: CONFIG, references, source: "platform.yaml" };
  const diff = await client.diffConfig({ body });
  assert.ok(diff.changes.length > 8);
  assert.ok(!JSON.stringify(diff).includes("not-to-be-seen"));
  const applied = await client.applyConfig({ body: { ...body, expect: diff.digest } });
  assert.equal(applied.digest, diff.digest);
  assert.deepEqual((await client.diffConfig({ body })).changes, []);
  // A client that did not get the answer sends it again.
  const again = await client.applyConfig({ body: { ...body, expect: diff.digest } });
  assert.deepEqual(again.changes, []);
  const exported = await client.getConfig();
  assert.ok(!JSON.stringify(exported).includes("not-to-be-seen"));
  const ofItself = await client.diffConfig({ body: { config: exported, source: "platform.yaml" } });
  assert.deepEqual(ofItself.changes, []);
});
