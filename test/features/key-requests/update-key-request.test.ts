/** UPDATE and PUT /api/portal/requests/{id}: specification 4.5. */
import assert from "node:assert/strict";
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import { assertAnswer } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import {
  create,
  list,
  listIds,
  pathOf,
  read,
  smallRequest,
  update,
} from "../../support/key-requests.ts";

for (const method of ["UPDATE", "PUT"]) {
  testOnEngines(`update: ${method} replaces the request and answers with its id`, async (desk) => {
    const id = await create(desk, smallRequest());
    const response = await desk.send(method, pathOf(id), { body: fullKeyRequest });
    await assertAnswer(response, { Status: "OK", Message: id, Meta: null });
    // Clients that a developer does not have are left out.
    const { oauth_clients: none, ...portal_developer } = fullKeyRequest.portal_developer;
    assert.deepEqual(none, {});
    assert.deepEqual(await read(desk, id), {
      id,
      ...fullKeyRequest,
      org_id: desk.org_id,
      portal_developer: { ...portal_developer, org_id: desk.org_id },
    });
  });
}

testOnEngines("update: absent members fall back to their defaults", async (desk) => {
  const id = await create(desk, {
    ...fullKeyRequest,
    key: "old-key",
    for_api: "api",
    remove_policies: ["old-plan"],
    approved: true,
    jwt_secret: "old secret",
    certificate: "old certificate",
    oauth_info: { redirect_uri: "https://old.example.org" },
  });
  await update(desk, id, { by_user: "dev-bob", for_plan: "plan-new" });
  const { portal_developer, catalogue_entry, ...shown } = await read(desk, id);
  assert.deepEqual(shown, {
    id,
    key: "",
    org_id: desk.org_id,
    for_api: "",
    for_plan: "plan-new",
    apply_policies: ["plan-new"],
    remove_policies: [],
    by_user: "dev-bob",
    fields: {},
    approved: false,
    date_created: fullKeyRequest.date_created,
    version: fullKeyRequest.version,
    jwt_secret: "",
    certificate: "",
    catalogues: [],
  });
  assert.equal(portal_developer.id, "dev-bob");
  assert.equal(portal_developer.email, "");
  assert.deepEqual([catalogue_entry.policy_id, catalogue_entry.name], ["plan-new", ""]);
});

testOnEngines("update: date_created and version stay when absent, each by itself", async (desk) => {
  const sent = { date_created: "2024-05-06T07:08:09.10Z", version: "v7" };
  const id = await create(desk, smallRequest(sent));
  const stamps = async () => {
    const { date_created, version } = await read(desk, id);
    return { date_created, version };
  };
  await update(desk, id, smallRequest({ date_created: null, version: null }));
  assert.deepEqual(await stamps(), sent);
  await update(desk, id, smallRequest({ version: "v8" }));
  assert.deepEqual(await stamps(), { ...sent, version: "v8" });
  await update(desk, id, smallRequest({ date_created: "2025-01-01T00:00:00Z" }));
  assert.deepEqual(await stamps(), { date_created: "2025-01-01T00:00:00Z", version: "v8" });
});

testOnEngines("update: id and organisation stay, whatever the body says", async (desk) => {
  const id = await create(desk, smallRequest());
  const other = await desk.otherOrganisation();
  await update(desk, id, smallRequest({ id: "chosen", org_id: other.org_id }));
  assert.equal((await read(desk, id)).org_id, desk.org_id);
  assert.deepEqual(await listIds(desk), [id]);
  assert.deepEqual(await listIds(desk, "", other.admin), []);
});

testOnEngines(
  "update: a changed date moves the request in the list, and its pages follow",
  async (desk) => {
    const old = await create(desk, smallRequest({ date_created: "2024-01-01T00:00:00Z" }));
    const young = await create(desk, smallRequest({ date_created: "2024-01-02T00:00:00Z" }));
    assert.deepEqual(await listIds(desk), [young, old]);
    await update(desk, old, smallRequest({ date_created: "2024-01-03T00:00:00Z", approved: true }));
    assert.deepEqual(await listIds(desk), [old, young]);
    assert.deepEqual(await listIds(desk, "?p=1&approved=true"), [old]);
    assert.deepEqual((await list(desk, "?p=1&approved=false")).Pages, 1);
    assert.deepEqual((await list(desk, "?p=2")).Data, []);
  },
);

testOnEngines("update: a secret is replaced with the rest", async (desk) => {
  const id = await create(desk, smallRequest({ jwt_secret: "first" }));
  await update(desk, id, smallRequest({ jwt_secret: "second" }));
  assert.equal((await read(desk, id)).jwt_secret, "second");
  await update(desk, id, smallRequest());
  assert.equal((await read(desk, id)).jwt_secret, "");
});
