/** The catalogue and the portal configuration of an organisation. */
import assert from "node:assert/strict";
import { CATALOGUE, CONFIGURATION, post, succeed } from "../../../support/companions.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { createAndRead, smallRequest } from "../../../support/key-requests.ts";

interface Shown {
  id: string;
  org_id: string;
  apis: { name: string; policy_id: string; config: Record<string, unknown> }[];
  email: string;
}

const UPDATED = { Status: "OK", Message: "Data updated", Meta: null };

testOnEngines("catalogue: before there is one, it is empty with our ids", async (desk) => {
  const empty = await succeed<Shown>(desk, "GET", CATALOGUE);
  assert.match(empty.id, /^[0-9a-f]{24}$/);
  assert.deepEqual(empty, { id: empty.id, org_id: desk.org_id, apis: [], email: "" });
  assert.equal(await post(desk, CATALOGUE, {}), empty.id);
});

testOnEngines("catalogue: what is set is shown, whole and in its order", async (desk) => {
  const body = {
    id: "theirs",
    org_id: "theirs",
    apis: [
      { name: "B", policy_id: "plan-b", api_id: "b" },
      { name: "A", policy_id: "plan-a", config: { override: true, require_key_approval: false } },
    ],
    email: "apis@example.org",
  };
  const id = await post(desk, CATALOGUE, body);
  const shown = await succeed<Shown>(desk, "GET", CATALOGUE);
  assert.deepEqual([shown.id, shown.org_id, shown.email], [id, desk.org_id, "apis@example.org"]);
  assert.deepEqual(shown.apis.map((api) => api.name), ["B", "A"]);
  assert.equal(shown.apis[1]?.config.require_key_approval, false);
  assert.deepEqual(await succeed(desk, "PUT", CATALOGUE, { body: shown }), UPDATED);
  assert.deepEqual(await succeed(desk, "GET", CATALOGUE), shown);
  // A key request shows the live entry from the next read on.
  const request = smallRequest({ for_plan: "plan-a" });
  assert.equal((await createAndRead(desk, request)).catalogue_entry.name, "A");
  await succeed(desk, "PUT", CATALOGUE, { body: { apis: [{ name: "C", policy_id: "plan-a" }] } });
  assert.equal((await createAndRead(desk, request)).catalogue_entry.name, "C");
  assert.equal((await succeed<Shown>(desk, "GET", CATALOGUE)).id, id);
});

testOnEngines("catalogue: replaced by many at once, one of them stands whole", async (desk) => {
  await Promise.all(Array.from({ length: 8 }, (_, n) => {
    const apis = Array.from({ length: 5 }, (_, i) => ({ name: `${n}`, policy_id: `p${i}` }));
    return succeed(desk, n % 2 ? "PUT" : "POST", CATALOGUE, { body: { apis, email: `${n}` } });
  }));
  const { apis, email } = await succeed<Shown>(desk, "GET", CATALOGUE);
  assert.deepEqual(apis.map((api) => api.name), Array(5).fill(email));
});

testOnEngines(
  "configuration: before there is one, it is empty, and approves nobody",
  async (desk) => {
    const empty = await succeed(desk, "GET", CONFIGURATION);
    const { id, org_id, require_key_approval, key_request_fields } = empty;
    assert.match(String(id), /^[0-9a-f]{24}$/);
    assert.deepEqual([org_id, require_key_approval, key_request_fields], [desk.org_id, true, []]);
    assert.equal(await post(desk, CONFIGURATION, empty), id);
    assert.deepEqual(await succeed(desk, "GET", CONFIGURATION), empty);
  },
);

testOnEngines("configuration: what is set is shown, and stays one", async (desk) => {
  const body = {
    id: "theirs",
    org_id: "theirs",
    signup_fields: ["name"],
    key_request_fields: ["company", { name: "use", required: true }],
    require_key_approval: false,
    redirect_to: "/thanks",
    mail_options: { mail_from_name: "Us" },
  };
  const id = await post(desk, CONFIGURATION, body);
  const shown = await succeed(desk, "GET", CONFIGURATION);
  assert.deepEqual([shown.id, shown.org_id], [id, desk.org_id]);
  assert.deepEqual(shown.key_request_fields, body.key_request_fields);
  assert.equal(shown.require_key_approval, false);
  assert.deepEqual(await succeed(desk, "PUT", CONFIGURATION, { body: shown }), UPDATED);
  assert.deepEqual(await succeed(desk, "GET", CONFIGURATION), shown);
  await succeed(desk, "PUT", CONFIGURATION, { body: {} });
  const after = await succeed(desk, "GET", CONFIGURATION);
  assert.deepEqual([after.id, after.signup_fields, after.require_key_approval], [id, [], true]);
});

testOnEngines("both: an organisation's own, and portal:read reads them", async (desk) => {
  await post(desk, CATALOGUE, { apis: [{ name: "Ours", policy_id: "p" }], email: "a@b" });
  await post(desk, CONFIGURATION, { email: "ours@example.org" });
  const { admin: credential } = await desk.otherOrganisation();
  assert.deepEqual((await succeed<Shown>(desk, "GET", CATALOGUE, { credential })).apis, []);
  const theirs = await succeed(desk, "GET", CONFIGURATION, { credential });
  assert.equal(theirs.email, "");
  const reader = await desk.token(["portal:read"]);
  for (const path of [CATALOGUE, CONFIGURATION]) {
    assert.notEqual(
      (await succeed(desk, "GET", path, { credential })).id,
      (await succeed(desk, "GET", path)).id,
    );
    assert.equal((await desk.send("GET", path, { credential: reader })).status, 200);
  }
});
