/** The v1 list of key requests: filters, orders, cursors, counts. */
import assert from "node:assert/strict";
import { assertFailure } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { approve, create, smallRequest, update } from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";
import { pagedIds, v1, V1_REQUESTS } from "../../support/v1-requests.ts";

const day = (n: number) => `2026-01-${String(n).padStart(2, "0")}T00:00:00Z`;

/** Twelve requests, oldest first: 4 pending (2 of them sent as approved), 4 issued, 4 declined. */
async function fill(desk: TestDesk): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) {
    const id = await create(
      desk,
      smallRequest({
        by_user: `dev-${i % 2}`,
        for_plan: `plan-${i % 3}`,
        approved: i % 6 === 0,
        date_created: day(1 + i),
      }),
    );
    if (i % 3 === 1) await approve(desk, id);
    if (i % 3 === 2) await v1.decline(desk, id);
    ids.push(id);
  }
  return ids;
}

const every = (ids: readonly string[], wanted: (i: number) => boolean) =>
  ids.filter((_, i) => wanted(i)).reverse();

testOnEngines("v1 list: each filter and their combinations, newest first", async (desk) => {
  const ids = await fill(desk);
  const expected: [query: string, ids: string[]][] = [
    ["", every(ids, () => true)],
    ["state=pending", every(ids, (i) => i % 3 === 0)],
    ["state=issued", every(ids, (i) => i % 3 === 1)],
    ["state=declined", every(ids, (i) => i % 3 === 2)],
    ["plan=plan-1", every(ids, (i) => i % 3 === 1)],
    ["plan=plan-1&state=pending", []],
    ["developer=dev-1", every(ids, (i) => i % 2 === 1)],
    ["developer=dev-1&state=declined", every(ids, (i) => i % 2 === 1 && i % 3 === 2)],
    ["developer=dev-1&plan=plan-0", every(ids, (i) => i % 2 === 1 && i % 3 === 0)],
    ["developer=nobody", []],
    [`created_after=${day(3)}&created_before=${day(6)}`, every(ids, (i) => i >= 2 && i < 5)],
    [`created_after=${day(3)}&state=pending`, every(ids, (i) => i >= 2 && i % 3 === 0)],
  ];
  for (const [query, wanted] of expected) {
    for (const limit of [1, 2, 100]) {
      assert.deepEqual(await pagedIds(desk, `limit=${limit}&${query}`), wanted, query);
      const oldest = await pagedIds(desk, `limit=${limit}&sort=oldest&${query}`);
      assert.deepEqual(oldest, [...wanted].reverse(), `${query} oldest first`);
    }
  }
  const counts = { pending: 4, issued: 4, declined: 4, all: 12 };
  assert.deepEqual(await v1.counts(desk), counts);
});

testOnEngines(
  "v1 list: an API stands for the plans that the catalogue offers",
  async (desk) => {
    const ids = await fill(desk);
    await liveRecordsOf(desk).catalogue(
      { api_id: "weather", policy_id: "plan-0" },
      { api_id: "weather", policy_id: "plan-2" },
      { api_id: "maps", policy_id: "plan-1" },
    );
    assert.deepEqual(await pagedIds(desk, "limit=3&api=weather"), every(ids, (i) => i % 3 !== 1));
    assert.deepEqual(await pagedIds(desk, "api=weather&plan=plan-1"), []);
    assert.deepEqual(await pagedIds(desk, "api=nothing"), []);
  },
  { extra: liveRecords },
);

testOnEngines("v1 list: a page shows each request as its own read does", async (desk) => {
  const [id = ""] = await fill(desk);
  const { data } = await v1.list(desk, "?sort=oldest&limit=1");
  const read = await v1.get(desk, id);
  const { other_requests, more_requests, decided_on, may_approve } = read;
  assert.equal(data.length, 1);
  assert.deepEqual({ ...read, ...data[0] }, read);
  assert.equal(other_requests.length, 5);
  assert.equal(more_requests, false);
  assert.equal(decided_on, null);
  assert.deepEqual(may_approve, []);
  assert.equal(read.state, "pending");
  assert.equal(read.approved, true);
});

testOnEngines(
  "v1 list: a cursor stays right while requests are added and decided",
  async (desk) => {
    const ids = await fill(desk);
    const first = await v1.list(desk, "?limit=5");
    await create(desk, smallRequest({ date_created: day(28) }));
    await create(desk, smallRequest({ date_created: day(28) }));
    const [pending = ""] = ids;
    await v1.decline(desk, pending);
    const rest = await v1.list(desk, `?limit=100&cursor=${first.next_cursor}`);
    const seen = [...first.data, ...rest.data].map((request) => request.id);
    assert.deepEqual(seen, [...ids].reverse());
  },
);

testOnEngines("v1 list: requests of one instant stand on one page each, once", async (desk) => {
  const ids: string[] = [];
  for (let i = 0; i < 7; i++) {
    ids.push(await create(desk, smallRequest({ date_created: day(1) })));
  }
  assert.deepEqual(await pagedIds(desk, "limit=2"), ids.sort().reverse());
});

testOnEngines("v1 list: Link leads to the next page with the same filters", async (desk) => {
  await fill(desk);
  const response = await desk.send("GET", `${V1_REQUESTS}?limit=3&state=issued`);
  const { next_cursor } = await response.json();
  const link = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1] ?? "";
  const query = new URL(link, "http://desk.test").searchParams;
  assert.equal(query.get("cursor"), next_cursor);
  assert.equal(query.get("state"), "issued");
  const last = await desk.send("GET", link);
  assert.equal((await last.json()).data.length, 1);
  assert.equal(last.headers.get("link"), null);
});

testOnEngines(
  "v1 read: the ETag changes with each change, by whichever interface",
  async (desk) => {
    const id = await create(desk, smallRequest());
    const etag = async () => {
      const response = await desk.send("GET", `${V1_REQUESTS}/${id}`);
      const { revision } = await response.json();
      assert.equal(response.headers.get("etag"), `"${revision}"`);
      return revision as string;
    };
    const seen = [await etag()];
    assert.equal(await etag(), seen[0]);
    await update(desk, id, smallRequest({ fields: { why: "more" } }));
    seen.push(await etag());
    await v1.decline(desk, id);
    seen.push(await etag());
    await desk.send("PUT", `${V1_REQUESTS}/${id}/reason`, { body: { reason: "later" } });
    seen.push(await etag());
    await v1.reopen(desk, id);
    await approve(desk, id);
    seen.push(await etag());
    assert.equal(new Set(seen).size, 5);
  },
);

testOnEngines(
  "v1 read: sealed members stay closed, and foreign ids are unknown",
  async (desk) => {
    const id = await create(desk, smallRequest({ jwt_secret: "sealed-secret" }));
    const text = await (await desk.send("GET", `${V1_REQUESTS}/${id}`)).text();
    assert.ok(!text.includes("sealed-secret"));
    const { admin: credential } = await desk.otherOrganisation();
    await assertFailure(
      await desk.send("GET", `${V1_REQUESTS}/${id}`, { credential }),
      "not_found",
    );
    assert.deepEqual((await v1.list(desk, "", { credential })).data, []);
    assert.deepEqual((await v1.list(desk, "?q=dev-ada", { credential })).data, []);
  },
);
