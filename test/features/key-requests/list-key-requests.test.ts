/** GET /api/portal/requests: specification 4.2, paging, filters and order. */
import assert from "node:assert/strict";
import { assertAnswer } from "../../support/answers.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import {
  approve,
  create,
  list,
  listIds,
  REQUESTS,
  smallRequest,
} from "../../support/key-requests.ts";
import { liveRecords, liveRecordsOf } from "../../support/live-records.ts";

/** Creates `n` requests, one a minute, and gives their ids newest first. */
async function createMany(desk: TestDesk, n: number): Promise<string[]> {
  const ids: string[] = [];
  const start = Date.parse("2026-01-01T00:00:00Z");
  for (let i = 0; i < n; i++) {
    const date_created = new Date(start + i * 60_000).toISOString();
    ids.push(await create(desk, smallRequest({ date_created })));
  }
  return ids.reverse();
}

testOnEngines("list: nothing yet is an empty Data and no Pages, in every form", async (desk) => {
  const queries = [
    "",
    "?p=0",
    "?p=-1",
    "?p=1",
    "?p=7",
    "?approved=true",
    "?declined=true",
    "?p=1&approved=false",
  ];
  for (const query of queries) {
    await assertAnswer(await desk.send("GET", `${REQUESTS}${query}`), { Data: [], Pages: 0 });
  }
});

testOnEngines(
  "list: without p, or with p below 1, everything is there as one page",
  async (desk) => {
    const ids = await createMany(desk, 12);
    for (const query of ["", "?p=0", "?p=-1", "?p=-999999999"]) {
      const { Data, Pages } = await list(desk, query);
      assert.deepEqual(Data.map((request) => request.id), ids);
      assert.equal(Pages, 1);
    }
  },
);

testOnEngines("list: a page holds ten, counted from 1, and Pages stays the same", async (desk) => {
  const ids = await createMany(desk, 23);
  for (const [p, expected] of [[1, ids.slice(0, 10)], [2, ids.slice(10, 20)], [3, ids.slice(20)]]) {
    const { Data, Pages } = await list(desk, `?p=${p}`);
    assert.deepEqual(Data.map((request) => request.id), expected);
    assert.equal(Pages, 3);
  }
});

testOnEngines(
  "list: a page past the end is empty with the same Pages, however far",
  async (desk) => {
    await createMany(desk, 3);
    for (const p of ["2", "99", "999999999", "9999999999", "9".repeat(40)]) {
      assert.deepEqual(await list(desk, `?p=${p}`), { Data: [], Pages: 1 });
    }
  },
);

testOnEngines(
  "list: page size is a setting, and an exact multiple has no empty page",
  async (desk) => {
    const ids = await createMany(desk, 6);
    assert.deepEqual(await listIds(desk, "?p=2"), ids.slice(3));
    assert.equal((await list(desk, "?p=1")).Pages, 2);
  },
  { environment: { KEYDESK_PAGE_SIZE: "3" } },
);

testOnEngines(
  "list: approved filters by what is shown, with pages of its own",
  async (desk) => {
    const live = liveRecordsOf(desk);
    const [issued, pending, sentApproved, declined] = [
      await create(desk, smallRequest({ date_created: "2026-01-04T00:00:00Z" })),
      await create(desk, smallRequest({ date_created: "2026-01-03T00:00:00Z" })),
      await create(desk, smallRequest({ date_created: "2026-01-02T00:00:00Z", approved: true })),
      await create(desk, smallRequest({ date_created: "2026-01-01T00:00:00Z", approved: true })),
    ];
    await approve(desk, issued);
    await live.decline(declined);
    for (const page of ["", "&p=1"]) {
      assert.deepEqual(await listIds(desk, `?approved=true${page}`), [issued, sentApproved]);
      assert.deepEqual(await listIds(desk, `?approved=false${page}`), [pending]);
    }
    assert.deepEqual(await listIds(desk), [issued, pending, sentApproved]);
  },
  { extra: liveRecords },
);

testOnEngines("list: Pages count what the filter leaves", async (desk) => {
  await create(desk, smallRequest());
  await create(desk, smallRequest({ approved: true }));
  await approve(desk, await create(desk, smallRequest()));
  assert.equal((await list(desk, "?approved=true&p=1")).Pages, 2);
  assert.equal((await list(desk, "?approved=false&p=1")).Pages, 1);
  assert.equal((await list(desk, "?p=9")).Pages, 3);
}, { environment: { KEYDESK_PAGE_SIZE: "1" } });

testOnEngines(
  "list: newest first by the instant, whatever the text or the offset",
  async (desk) => {
    const dates = [
      "2026-01-01T12:00:00+14:00", // 31 December, 22:00
      "2026-01-01T00:00:00.000000001Z",
      "2026-01-01T00:00:00Z",
      "2025-12-31T23:00:00-02:00", // 1 January, 01:00
      "2026-01-01T00:00:00.1Z",
      "2026-01-01T00:00:00.09Z",
      "0001-01-01T00:00:01Z",
      "9999-12-31T23:59:59Z",
    ];
    const ids: string[] = [];
    for (const date_created of dates) ids.push(await create(desk, smallRequest({ date_created })));
    const newestFirst = [7, 3, 4, 5, 1, 2, 0, 6].map((i) => ids[i]);
    assert.deepEqual(await listIds(desk), newestFirst);
    const paged = [];
    for (const p of [1, 2, 3]) paged.push(...await listIds(desk, `?p=${p}`));
    assert.deepEqual(paged, newestFirst);
  },
  { environment: { KEYDESK_PAGE_SIZE: "3" } },
);

testOnEngines(
  "list: of the same instant the greater id comes first, on every page",
  async (desk) => {
    const ids: string[] = [];
    for (let i = 0; i < 9; i++) {
      const date_created = i % 2 === 0 ? "2026-01-01T01:00:00+01:00" : "2026-01-01T00:00:00.000Z";
      ids.push(await create(desk, smallRequest({ date_created })));
    }
    ids.sort().reverse();
    assert.deepEqual(await listIds(desk), ids);
    const paged = [];
    for (const p of [1, 2, 3]) paged.push(...await listIds(desk, `?p=${p}`));
    assert.deepEqual(paged, ids);
  },
  { environment: { KEYDESK_PAGE_SIZE: "4" } },
);

for (const n of [63, 64, 65, 200]) {
  testOnEngines(
    `list: everything of ${n} arrives, each once, across the stream's chunks`,
    async (desk) => {
      const bodies = Array.from(
        { length: n },
        (_, i) =>
          smallRequest({ date_created: `2026-01-01T00:00:0${i % 3}Z`, approved: i % 2 === 0 }),
      );
      const ids = await Promise.all(bodies.map((body) => create(desk, body)));
      const all = await list(desk);
      assert.equal(all.Pages, 1);
      assert.deepEqual(all.Data.map((request) => request.id).sort(), ids.sort());
      const order = all.Data.map((request) => `${request.date_created} ${request.id}`);
      assert.deepEqual(order, [...order].sort().reverse());
      const approved = await list(desk, "?approved=true");
      assert.equal(approved.Data.length, Math.ceil(n / 2));
      assert.equal((await list(desk, "?p=1")).Pages, Math.ceil(n / 10));
    },
  );
}

testOnEngines("list: deep pages hold what the whole list holds there", async (desk) => {
  const bodies = Array.from(
    { length: 290 },
    (_, i) =>
      smallRequest({ date_created: `2026-0${1 + i % 9}-0${1 + i % 4}T0${i % 8}:1${i % 7}:00Z` }),
  );
  await Promise.all(bodies.map((body) => create(desk, body)));
  const ids = await listIds(desk);
  for (const p of [26, 27, 28, 29]) {
    assert.deepEqual(await listIds(desk, `?p=${p}`), ids.slice((p - 1) * 10, p * 10));
  }
});

testOnEngines("list: portal:read is enough", async (desk) => {
  const id = await create(desk, smallRequest());
  assert.deepEqual(await listIds(desk, "", await desk.token(["portal:read"])), [id]);
});

testOnEngines(
  "list: another organisation's requests are neither shown nor counted",
  async (desk) => {
    await createMany(desk, 3);
    const { admin } = await desk.otherOrganisation();
    assert.deepEqual(await list(desk, "", admin), { Data: [], Pages: 0 });
    assert.deepEqual(await list(desk, "?p=1", admin), { Data: [], Pages: 0 });
  },
);
