import assert from "node:assert/strict";
import * as store from "../../../src/features/key-requests/key-requests.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf, plansOfReads } from "../../support/query-plans.ts";
import { testStore } from "../../support/stores.ts";

const org_id = "org";
const row: store.KeyRequestRow = {
  org_id,
  id: "id",
  state: "pending",
  approved: 0,
  by_user: "dev",
  instant: "2026-01-01T00:00:00.000000000Z",
  for_plan: "plan",
  head: "{",
  tail: "}",
  sent_developer: null,
  sent_entry: null,
  sent_catalogues: "",
  secrets: null,
  asked_end: null,
  policy: null,
  expires_at: null,
  due_at: null,
};
const views = Object.keys(store.listViews) as store.ListView[];
const page = { before: "~", skip: 3 };

async function inEach(work: (view: store.ListView) => Promise<unknown>): Promise<void> {
  for (const view of views) await work(view);
}

/** A call of every function that the store exports; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  findRequestRow: (tx) => store.findRequestRow(tx, { org_id, id: "id" }),
  pageOfRequests: (tx) => inEach((view) => store.pageOfRequests(tx, org_id, view, page, 10)),
  firstPage: (tx) => inEach((view) => store.firstPage(tx, org_id, view, 10)),
  requestsAfter: (tx) => inEach((view) => store.requestsAfter(tx, org_id, view, row, 10)),
  lockRequest: (tx) => store.lockRequest(tx, { org_id, id: "id" }),
  findSentEntries: (tx) => store.findSentEntries(tx, { org_id, id: "id" }),
  insertRequest: (tx) => store.insertRequest(tx, row),
  replaceRequest: (tx) => store.replaceRequest(tx, { ...row, approved: 1 }, row),
  setAssignee: (tx) => store.setAssignee(tx, { org_id, id: "id", assignee: null }),
  markIssued: (tx) =>
    store.markIssued(tx, { ...row, approved: 1 }, {
      at: row.instant,
      by: "user",
      reason: null,
      message: null,
      granted: null,
      decided_on: "{}",
    }),
  removeRequest: (tx) => store.removeRequest(tx, org_id, "id"),
};

Deno.test("sqlite: every statement on key requests finds its rows by an index, in their order", async () => {
  // Part of statements, and none itself; and PostgreSQL's alone.
  assertAllCalled([store], calls, ["selectView", "pageAt", "findRequestRows"]);
  const statements = (await plansOf(each(calls)))
    .filter(({ sql }) => sql.includes("key_requests"));
  // The four lists twice, and one each to find, lock, insert, replace, mark and remove.
  assert.ok(statements.length >= 2 * views.length + 6, `${statements.length} statements`);
  for (const { sql, steps } of statements) {
    // "SCAN page" walks the ten rows that the inner query found.
    const plan = steps.filter((step) => step !== "SCAN page").join("\n");
    assert.doesNotMatch(plan, /SCAN|TEMP B-TREE|AUTOMATIC/, `${sql}\n${plan}`);
    if (/^(select|update|delete)/.test(sql)) {
      const search = /SEARCH (?:r|key_requests) USING (?:COVERING )?INDEX \w+ \((.*)\)/.exec(
        plan,
      );
      assert.match(search?.[1] ?? plan, /^org_id=\? AND /, `${sql}\n${plan}`);
    }
  }
});

Deno.test("sqlite: the lists walk the index of their own filter", async () => {
  await using place = await testStore("sqlite");
  const { reader } = await place.open();
  const index = {
    all: "newest",
    approved: "approved",
    unapproved: "approved",
    declined: "declined",
  };
  for (const view of views) {
    const own = await plansOfReads(reader, async (db) => {
      await store.pageOfRequests(db, org_id, view, page, 10);
      await store.requestsAfter(db, org_id, view, row, 10);
    });
    assert.equal(own.length, 2);
    for (const { sql, steps } of own) {
      const [first = ""] = steps.filter((step) => step.startsWith("SEARCH"));
      assert.match(first, new RegExp(`INDEX key_requests_${index[view]} `), sql);
      assert.match(first, /instant/, `${sql}: the place is found by the index`);
    }
  }
});
