/** GET /api/portal/requests/{id}: specification 4.3. */
import assert from "node:assert/strict";
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import { assertFailure, wholeAnswer } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import { approve, create, pathOf, read, smallRequest } from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";

testOnEngines("read: a request is shown bare, without an envelope", async (desk) => {
  const id = await create(desk, fullKeyRequest);
  const shown = await read(desk, id);
  assert.equal(shown.id, id);
  assert.equal(shown.by_user, fullKeyRequest.by_user);
});

testOnEngines("read: what can't be an id names nothing", async (desk) => {
  const long = "a".repeat(256);
  for (const id of [long, "%00", "a%0Ab", "%7f", "..%2f..%2fetc", "'%20or%201=1", "%ED%A0%80"]) {
    const response = await desk.send("GET", `/api/portal/requests/${id}`);
    await assertFailure(response, "not_found");
  }
});

testOnEngines("read: without an access token 401", async (desk) => {
  const id = await create(desk, smallRequest());
  await assertFailure(await desk.send("GET", pathOf(id), { credential: null }), "not_authorised");
});

testOnEngines(
  "read: a credential for certificates alone is refused with the path",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const credential = await desk.token(["certs:write", "approve", "verify", "secrets", "admin"]);
    const response = await desk.send("GET", `${pathOf(id)}?p=1`, { credential });
    await assertFailure(response, "access_denied", {
      message: `access denied: You do not have permission to access  /api/portal/requests/${id}`,
    });
  },
);

testOnEngines("read: portal:read is enough, and so is portal:write", async (desk) => {
  const id = await create(desk, smallRequest());
  for (const allow of ["portal:read", "portal:write"] as const) {
    assert.equal((await read(desk, id, await desk.token([allow]))).id, id);
  }
});

testOnEngines(
  "read: a foreign request answers exactly like one that does not exist",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const other = await desk.otherOrganisation();
    const foreign = await desk.send("GET", pathOf(id), { credential: other.admin });
    const absent = await desk.send("GET", pathOf("f".repeat(24)), { credential: other.admin });
    assert.deepEqual(await wholeAnswer(foreign.clone()), await wholeAnswer(absent));
    await assertFailure(foreign, "not_found");
  },
);

testOnEngines(
  "read: a declined request is absent",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await liveRecordsOf(desk).decline(id);
    await assertFailure(await desk.send("GET", pathOf(id)), "not_found");
  },
  { extra: liveRecords },
);

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
