/** What can still change in a key request whose credential was issued. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import {
  approvalOf,
  approve,
  create,
  listIds,
  read,
  smallRequest,
  update,
} from "../../support/key-requests.ts";

testOnEngines("after issue: approved stays true, whatever an update says", async (desk) => {
  const id = await create(desk, smallRequest());
  await approve(desk, id);
  await update(desk, id, smallRequest({ approved: false }));
  assert.equal((await read(desk, id)).approved, true);
  assert.deepEqual(await listIds(desk, "?approved=true"), [id]);
  assert.deepEqual(await listIds(desk, "?p=1&approved=false"), []);
  await assertFailure(await desk.send("PUT", approvalOf(id)), "already_processed");
});

testOnEngines("after issue: everything else changes as before", async (desk) => {
  const id = await create(desk, smallRequest());
  await approve(desk, id);
  await update(
    desk,
    id,
    smallRequest({
      for_api: "api",
      fields: { team: "Mobile" },
      version: "v3",
      certificate: "certificate",
      date_created: "2025-05-05T05:05:05Z",
      jwt_secret: "secret",
    }),
  );
  const shown = await read(desk, id);
  assert.equal(shown.for_api, "api");
  assert.deepEqual(shown.fields, { team: "Mobile" });
  assert.equal(shown.version, "v3");
  assert.equal(shown.certificate, "certificate");
  assert.equal(shown.date_created, "2025-05-05T05:05:05Z");
  assert.equal(shown.jwt_secret, "secret");
  assert.deepEqual(Object.values(shown.portal_developer.keys), [["plan-weather"]]);
});

testOnEngines("after issue: the same plans said in another way are no change", async (desk) => {
  const id = await create(desk, smallRequest());
  await approve(desk, id);
  await update(desk, id, { by_user: "dev-ada", apply_policies: ["plan-weather"] });
  await update(desk, id, { portal_developer: { id: "dev-ada" }, for_plan: "plan-weather" });
});

testOnEngines(
  "before issue: plan, by_user and key change, and approve goes by the new ones",
  async (desk) => {
    const id = await create(desk, smallRequest({ approved: true, key: "some-key" }));
    await update(desk, id, { by_user: "dev-bob", for_plan: "plan-maps" });
    await approve(desk, id);
    const { portal_developer } = await read(desk, id);
    assert.equal(portal_developer.id, "dev-bob");
    assert.deepEqual(Object.keys(portal_developer.subscriptions), ["plan-maps"]);
  },
);
