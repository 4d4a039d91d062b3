/** Declined requests: a state that only `/v1` sets, absent from the legacy one. */
import assert from "node:assert/strict";
import { testOnEngines } from "../../support/desk.ts";
import { create, list, listIds, pathOf, read, smallRequest } from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";

testOnEngines(
  "declined: in no list and no page but the one that is asked for them",
  async (desk) => {
    const live = liveRecordsOf(desk);
    const kept = await create(desk, smallRequest({ date_created: "2026-01-02T00:00:00Z" }));
    const [young, old] = [
      await create(desk, smallRequest({ date_created: "2026-01-03T00:00:00Z", approved: true })),
      await create(desk, smallRequest({ date_created: "2026-01-01T00:00:00Z" })),
    ];
    await live.decline(young);
    await live.decline(old);
    for (
      const query of [
        "",
        "?p=1",
        "?p=0",
        "?approved=false",
        "?p=1&approved=false",
        "?declined=false",
      ]
    ) {
      assert.deepEqual(await listIds(desk, query), [kept]);
    }
    assert.deepEqual(await list(desk, "?p=1&approved=true"), { Data: [], Pages: 0 });
    for (const query of ["?declined=true", "?declined=true&p=1", "?declined=true&p=-1"]) {
      assert.deepEqual(await listIds(desk, query), [young, old]);
      assert.equal((await list(desk, query)).Pages, 1);
    }
    assert.deepEqual(await list(desk, "?declined=true&p=2"), { Data: [], Pages: 1 });
  },
  { extra: liveRecords },
);

testOnEngines(
  "declined: the list shows them as they were sent",
  async (desk) => {
    const id = await create(desk, smallRequest({ fields: { team: "Mobile" } }));
    const before = await read(desk, id);
    await liveRecordsOf(desk).decline(id);
    assert.deepEqual((await list(desk, "?declined=true")).Data, [before]);
  },
  { extra: liveRecords },
);

testOnEngines(
  "declined: DELETE removes it",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await liveRecordsOf(desk).decline(id);
    assert.equal((await desk.send("DELETE", pathOf(id))).status, 200);
    assert.deepEqual(await list(desk, "?declined=true&p=1"), { Data: [], Pages: 0 });
  },
  { extra: liveRecords },
);

testOnEngines(
  "declined: where the setting shows them, read by the id as not approved, with the reason",
  async (desk) => {
    const sent = { fields: { team: "Mobile" }, approved: true };
    const id = await create(desk, smallRequest(sent));
    const pending = await read(desk, id);
    const decline = { body: { reason: "Please use the plan for partners." } };
    assert.equal((await desk.send("POST", `/v1/key-requests/${id}/decline`, decline)).status, 200);
    const fields = { team: "Mobile", decline_reason: decline.body.reason };
    assert.deepEqual(await read(desk, id), { ...pending, approved: false, fields });
    const reason = { body: { reason: "" } };
    await desk.send("PUT", `/v1/key-requests/${id}/reason`, reason);
    assert.deepEqual((await read(desk, id)).fields, { team: "Mobile" });
    assert.equal((await desk.send("PUT", pathOf(id), { body: smallRequest() })).status, 404);
    await desk.send("POST", `/v1/key-requests/${id}/reopen`, {});
    assert.deepEqual(await read(desk, id), pending);
  },
  { environment: { KEYDESK_DECLINED: "shown" } },
);

testOnEngines(
  "declined: by default read as one that is not there",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await desk.send("POST", `/v1/key-requests/${id}/decline`, {});
    assert.equal((await desk.send("GET", pathOf(id))).status, 404);
  },
);
