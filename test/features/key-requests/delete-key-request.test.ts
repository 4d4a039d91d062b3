/** DELETE /api/portal/requests/{id}: specification 4.6. */
import assert from "node:assert/strict";
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import { assertAnswer, assertFailure } from "../../support/answers.ts";
import { testOnEngines } from "../../support/desk.ts";
import {
  approve,
  create,
  list,
  listIds,
  pathOf,
  read,
  smallRequest,
} from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";
import { registeredDevelopers, storedCredentials } from "../../support/stored.ts";

const DELETED = { Status: "OK", Message: "Data deleted", Meta: null };

testOnEngines("delete: a pending request is gone from read and list", async (desk) => {
  const [id, kept] = [await create(desk, smallRequest()), await create(desk, smallRequest())];
  await assertAnswer(await desk.send("DELETE", pathOf(id)), DELETED);
  await assertFailure(await desk.send("GET", pathOf(id)), "not_found");
  assert.deepEqual(await listIds(desk), [kept]);
});

testOnEngines(
  "delete: works in any state, and the pages count it out",
  async (desk) => {
    const [issued, declined, sentApproved] = [
      await create(desk, smallRequest()),
      await create(desk, smallRequest()),
      await create(desk, smallRequest({ approved: true })),
    ];
    await approve(desk, issued);
    await liveRecordsOf(desk).decline(declined);
    for (const id of [issued, declined, sentApproved]) {
      await assertAnswer(await desk.send("DELETE", pathOf(id)), DELETED);
      await assertFailure(await desk.send("DELETE", pathOf(id)), "not_found_for_deletion");
    }
    for (
      const query of ["?p=1", "?p=1&approved=true", "?p=1&approved=false", "?p=1&declined=true"]
    ) {
      assert.deepEqual(await list(desk, query), { Data: [], Pages: 0 });
    }
  },
  { extra: liveRecords },
);

testOnEngines("delete: a credential already issued lives on with its developer", async (desk) => {
  const id = await create(desk, fullKeyRequest);
  await approve(desk, id);
  await desk.send("DELETE", pathOf(id));
  const [credential, ...others] = await storedCredentials(desk);
  assert.equal(others.length, 0);
  assert.equal(credential?.state, "active");
  assert.equal(credential?.request_id, id);
  const next = await read(desk, await create(desk, fullKeyRequest));
  assert.deepEqual(Object.keys(next.portal_developer.keys), [credential?.key_id]);
});

testOnEngines(
  "delete: the developer that a request brought along stays registered",
  async (desk) => {
    const id = await create(desk, fullKeyRequest);
    await desk.send("DELETE", pathOf(id));
    assert.deepEqual(await registeredDevelopers(desk), [fullKeyRequest.by_user]);
  },
);

testOnEngines("delete: of many at once exactly one succeeds", async (desk) => {
  const id = await create(desk, smallRequest());
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => desk.send("DELETE", pathOf(id))),
  );
  const statuses = answers.map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [200, ...Array(11).fill(404)]);
  assert.deepEqual(await list(desk, "?p=1"), { Data: [], Pages: 0 });
});
