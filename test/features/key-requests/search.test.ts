/** The search of key requests: what it finds, in which order, and when. */
import assert from "node:assert/strict";
import { startIndexer } from "../../../src/features/key-requests/search-indexer.ts";
import { positionOf, positionToTry } from "../../../src/features/key-requests/search-position.ts";
import { hasChanges, noteForSearch } from "../../../src/features/key-requests/search.store.ts";
import { indexChanges } from "../../../src/features/key-requests/search.transactions.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { create, pathOf, smallRequest, update } from "../../support/key-requests.ts";
import { call } from "../../support/people.ts";
import { pagedIds, v1 } from "../../support/v1-requests.ts";

const find = (desk: TestDesk, q: string, rest = "") =>
  pagedIds(desk, `limit=2&q=${encodeURIComponent(q)}${rest}`);

testOnEngines(
  "search: people, e-mails, plans, APIs, ids and answers, in any case",
  async (desk) => {
    const id = await create(
      desk,
      smallRequest({
        by_user: "dev-Grace",
        for_plan: "plan-Maps",
        apply_policies: ["plan-Maps", "plan-tides"],
        for_api: "api-harbour",
        fields: { why: 'Ships said: "Ünïcode 100% \\o/ _under_ 東京都 * OR near" ok', team: "x" },
        portal_developer: {
          id: "dev-Grace",
          email: "Grace@Example.org",
          fields: { Name: "Murray-Hopper" },
        },
        catalogue_entry: { name: "Harbour charts", api_id: "entry-api", policy_id: "plan-Maps" },
      }),
    );
    await create(desk, smallRequest());
    const found = [
      "GRACE",
      "ace@exam",
      "murray-hop",
      "n-maps",
      "tides",
      "HARBOUR",
      "charts",
      "entry-api",
      id,
      id.slice(3),
      "ünïcode",
      "ÜNÏ",
      '"ünï',
      "100%",
      "_under_",
      "\\o/",
      "東京都",
      "京都",
      "東",
      "* or near",
      "ok",
    ];
    for (const q of found) assert.deepEqual(await find(desk, q), [id], q);
    const none = [
      "why",
      "ünlike",
      "1%0",
      "_nder_",
      "AND",
      "text:",
      "東都京",
      '""""',
      "'; drop",
      "zz",
    ];
    for (const q of none) assert.deepEqual(await find(desk, q), [], q);
  },
);

testOnEngines(
  "search: by the present names of every plan and of their APIs, also of a short list",
  async (desk) => {
    const plan = async (name: string, api: string) => {
      const access_rights = { [`id-of-${api}`]: { api_id: `id-of-${api}`, api_name: api } };
      const made = await call(desk, "POST", "/v1/plans", { name, access_rights });
      return made.id as string;
    };
    const gold = await plan("Gold", "Orders");
    const silver = await plan("Silver", "Orders");
    const basic = await plan("Basic", "Invoices");
    const all = await create(
      desk,
      smallRequest({ for_plan: gold, apply_policies: [gold, silver, basic] }),
    );
    const one = await create(desk, smallRequest({ for_plan: basic, apply_policies: [] }));
    await create(desk, smallRequest({ fields: { why: "Weather" } }));
    for (const state of ["", "&state=pending"]) {
      const found = (q: string) => find(desk, q, state);
      assert.deepEqual(await found("gold"), [all]);
      assert.deepEqual(await found("SILV"), [all]);
      assert.deepEqual(await found("basic"), [one, all]);
      assert.deepEqual(await found("orders"), [all]);
      assert.deepEqual(await found("invoices"), [one, all]);
      assert.deepEqual(await found("nvoi"), [one, all]);
      assert.deepEqual(await found("of-orders"), [all]);
      assert.deepEqual(await found("platinum"), []);
    }
    await call(desk, "PUT", `/v1/plans/${gold}`, { name: "Platinum" });
    assert.deepEqual(await find(desk, "platinum"), [all]);
    assert.deepEqual(await find(desk, "gold"), []);
    await call(desk, "POST", "/v1/apis", { id: "inv", name: "Billing docs", plans: [basic] });
    assert.deepEqual(await find(desk, "billing d"), [one, all]);
    assert.deepEqual(await find(desk, "billing d", `&plan=${gold}`), [all]);
  },
);

testOnEngines(
  "search: names of very many plans find some, and say that it is not all",
  async (desk) => {
    for (let n = 0; n < 40; n++) {
      await call(desk, "POST", "/v1/plans", { id: `many-${n}`, name: `Crowd ${n}` });
    }
    const id = await create(desk, smallRequest({ for_plan: "many-39", apply_policies: [] }));
    const { data, incomplete } = await v1.list(desk, "?q=crowd");
    assert.deepEqual([data.map((one) => one.id), incomplete], [[id], true]);
  },
);

testOnEngines(
  "search: newest or oldest first, with the other filters, page after page",
  async (desk) => {
    const ids: string[] = [];
    for (let i = 0; i < 9; i++) {
      // The clock of those who ask is not that of their arrival.
      const date_created = `2026-02-0${1 + (i * 4) % 9}T00:00:00Z`;
      ids.push(
        await create(
          desk,
          smallRequest({
            by_user: `dev-${i % 2}`,
            for_plan: `plan-${i % 3}`,
            date_created,
            fields: { why: "Weather for everybody" },
          }),
        ),
      );
    }
    const byDay = (wanted: (i: number) => boolean) =>
      ids.map((id, i) => ({ id, i, day: (i * 4) % 9 })).filter(({ i }) => wanted(i))
        .sort((a, b) => b.day - a.day).map(({ id }) => id);
    assert.deepEqual(await find(desk, "weather"), byDay(() => true));
    assert.deepEqual(await find(desk, "weather", "&sort=oldest"), byDay(() => true).reverse());
    assert.deepEqual(await find(desk, "weather", "&developer=dev-1"), byDay((i) => i % 2 === 1));
    assert.deepEqual(await find(desk, "weather", "&plan=plan-1"), byDay((i) => i % 3 === 1));
    const times = "&created_after=2026-02-03T00:00:00Z&created_before=2026-02-05T00:00:00Z";
    assert.deepEqual(
      await find(desk, "weather", times),
      byDay((i) => [2, 3].includes((i * 4) % 9)),
    );
    const [first = ""] = ids;
    await v1.decline(desk, first);
    assert.deepEqual(await find(desk, "weather", "&state=declined"), [first]);
    assert.deepEqual(await find(desk, "weather", "&state=pending"), byDay((i) => i !== 0));
  },
);

testOnEngines("search: a cursor with any text or number in it breaks nothing", async (desk) => {
  await create(desk, smallRequest({ fields: { why: "Weather" } }));
  for (const sort of ["", "x", "1e300", "1.5", "-1", "NaN", "Infinity", "0x10", "9".repeat(30)]) {
    const cursor = btoa(JSON.stringify(["found newest", sort, ""]));
    const { data } = await v1.list(desk, `?q=weather&cursor=${encodeURIComponent(cursor)}`);
    assert.ok(data.length <= 1);
  }
});

testOnEngines(
  "search: a short list is searched by itself, with what no index knows yet",
  async (desk) => {
    const ids: string[] = [];
    for (let i = 0; i < 70; i++) ids.push(await create(desk, smallRequest({ by_user: "dev-big" })));
    // More than one chunk of changes waits: the newest is not in the index when this search has
    // run.
    const [newest = ""] = ids.slice(-1);
    assert.deepEqual((await pagedIds(desk, "state=pending&q=dev-big&limit=3")).length, 70);
    assert.equal((await v1.list(desk, "?state=pending&q=dev-big&limit=1")).data[0]?.id, newest);
    assert.equal(
      (await v1.list(desk, "?developer=dev-big&q=weather&limit=100")).data.length,
      70,
    );
    assert.ok(await hasChanges(desk.app.ctx.storage.reader), "nothing was indexed for it");
  },
);

testOnEngines("search: follows changes and deletions", async (desk) => {
  const id = await create(desk, smallRequest({ fields: { why: "Weather" } }));
  assert.deepEqual(await find(desk, "weather"), [id]);
  await update(desk, id, smallRequest({ fields: { why: "Tides" } }));
  await update(desk, id, smallRequest({ for_plan: "plan-x", fields: { why: "Tides" } }));
  assert.deepEqual(await find(desk, "weather"), []);
  assert.deepEqual(await find(desk, "tides"), [id]);
  await update(
    desk,
    id,
    smallRequest({ fields: { why: "Tides" }, date_created: "2020-01-01T00:00:00Z" }),
  );
  assert.deepEqual(await find(desk, "tides"), [id]);
  await desk.send("DELETE", pathOf(id));
  assert.deepEqual(await find(desk, "tides"), []);
});

testOnEngines("search: many requests of the very same instant are all found", async (desk) => {
  const ids: string[] = [];
  for (let i = 0; i < 150; i++) {
    ids.push(
      await create(
        desk,
        smallRequest({ date_created: "2026-01-01T00:00:00Z", fields: { why: "same moment" } }),
      ),
    );
  }
  while (await desk.app.ctx.storage.commit(indexChanges, { from: "" }) > 0);
  const found = await pagedIds(desk, "limit=50&q=moment");
  assert.deepEqual([...found].sort(), [...ids].sort());
});

const flood = defineTransaction(
  "test.flood-search",
  async (tx, input: { org_id: string; changes: number }) => {
    for (let i = 0; i < input.changes; i++) await noteForSearch(tx, input.org_id, "nobody");
  },
);

testOnEngines(
  "search: takes in what a small flood left waiting, and says where a large one was too much",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const { org_id } = desk;
    await storage.commit(flood, { org_id, changes: 200 });
    const id = await create(desk, smallRequest({ fields: { why: "the last of the flood" } }));
    const found = await v1.list(desk, "?q=the%20last");
    assert.deepEqual(found.data.map((one) => one.id), [id]);
    assert.equal(found.incomplete, undefined);

    await storage.commit(flood, { org_id, changes: 17 * 64 });
    const later = await create(desk, smallRequest({ fields: { why: "the last of all" } }));
    const some = await v1.list(desk, "?q=the%20last");
    assert.deepEqual(some.data.map((one) => one.id), [id]);
    assert.equal(some.incomplete, true);
    // Lists without a search lack nothing.
    const listed = await v1.list(desk);
    assert.deepEqual([listed.data[0]?.id, listed.incomplete], [later, undefined]);
    for (let calls = 0; (await v1.list(desk, "?q=the%20last")).incomplete; calls++) {
      assert.ok(calls < 100);
    }
    assert.equal((await v1.list(desk, "?q=the%20last")).data.length, 2);
  },
  { extra: [flood] },
);

testOnEngines(
  "search: what waits is indexed in the background, until nothing does",
  async (desk) => {
    const { storage } = desk.app.ctx;
    for (let i = 0; i < 100; i++) {
      await create(
        desk,
        smallRequest({ fields: { why: `word-${i}-` } }),
      );
    }
    assert.ok(await hasChanges(storage.reader));
    const indexer = startIndexer(storage);
    try {
      await eventually("the indexer is through", async () => !await hasChanges(storage.reader));
    } finally {
      indexer.stop();
    }
    assert.equal((await find(desk, "word-99-")).length, 1);
  },
);

testOnEngines(
  "search: the indexer works less while other changes wait",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const chunks = { free: 0, busy: 0 };
    const indexers = (["free", "busy"] as const).map((name) => {
      const load = () => ({
        ...storage.load(),
        changes: { length: name === "busy" ? 1 : 0, oldestMs: 0 },
      });
      return startIndexer(Object.assign(Object.create(storage), { load }), [{
        waits: () => Promise.resolve(true),
        index: async () => {
          chunks[name]++;
          await new Promise((resolve) => setTimeout(resolve, 5));
        },
      }]);
    });
    try {
      await eventually("both have done some", () => chunks.busy >= 5);
    } finally {
      for (const indexer of indexers) indexer.stop();
    }
    assert.ok(chunks.free > 1.5 * chunks.busy, JSON.stringify(chunks));
  },
);

Deno.test("search: positions sort like instants and stay exact up to the year 9999", () => {
  const instants = [
    "0000-01-01T00:00:00.000000000Z",
    "1970-01-01T00:00:00.000000000Z",
    "2026-01-01T00:00:00.001000000Z",
    "2026-01-01T00:00:00.002000000Z",
    "9999-12-31T23:59:59.999999999Z",
  ];
  const positions = instants.map(positionOf);
  assert.deepEqual([...positions].sort((a, b) => a - b), positions);
  assert.equal(new Set(positions).size, instants.length);
  assert.ok(positionToTry(instants[4] ?? "", 99, 0.999999) < Number.MAX_SAFE_INTEGER);
});
