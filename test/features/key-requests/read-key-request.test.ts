/** GET /api/portal/requests/{id}: specification 4.3. */
import assert from "node:assert/strict";
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import { testOnEngines } from "../../support/desk.ts";
import { approve, create, read, smallRequest } from "../../support/key-requests.ts";

testOnEngines("read: a request is shown bare, without an envelope", async (desk) => {
  const id = await create(desk, fullKeyRequest);
  const shown = await read(desk, id);
  assert.equal(shown.id, id);
  assert.equal(shown.by_user, fullKeyRequest.by_user);
});

testOnEngines("read: portal:read is enough, and so is portal:write", async (desk) => {
  const id = await create(desk, smallRequest());
  for (const allow of ["portal:read", "portal:write"] as const) {
    assert.equal((await read(desk, id, await desk.token([allow]))).id, id);
  }
});

testOnEngines(
  "read: an issued request reads as approved, with its developer's maps",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await approve(desk, id);
    const shown = await read(desk, id);
    assert.equal(shown.approved, true);
    assert.deepEqual(Object.values(shown.portal_developer.keys), [["plan-weather"]]);
  },
);
