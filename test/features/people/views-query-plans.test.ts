/**
 * Every statement on views and columns finds its rows by an index, however many organisations there
 * are.
 */
import assert from "node:assert/strict";
import * as views from "../../../src/features/people/views.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

const org_id = "org";
const at = "2026-01-01T00:00:00Z";
const view: views.StoredView = {
  org_id,
  id: "v",
  list: "keys",
  name: "n",
  owner: "p",
  shared: 1,
  query: "{}",
  columns: null,
  created_at: at,
  changed_at: at,
};
const chosen = { org_id, user_id: "p", list: "keys" };

/** A call of every function that the store exports; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  insertView: (tx) => views.insertView(tx, view),
  sharedViews: (tx) => views.sharedViews(tx, { org_id }),
  viewsOf: (tx) => views.viewsOf(tx, { org_id, owner: "p" }),
  findView: (tx) => views.findView(tx, { org_id, id: "v" }),
  lockViews: (tx) => views.lockViews(tx, { org_id }),
  updateView: (tx) => views.updateView(tx, view),
  removeView: (tx) => views.removeView(tx, { org_id, id: "v" }),
  columnsOf: (tx) => views.columnsOf(tx, { org_id, user_id: "p" }),
  putColumns: async (tx) => {
    await views.putColumns(tx, { ...chosen, columns: "[]" });
    await views.putColumns(tx, { ...chosen, columns: null });
  },
  forgetOwn: (tx) => views.forgetOwn(tx, org_id, "p"),
};

Deno.test("sqlite: every statement on views finds its rows by an index", async () => {
  assertAllCalled([views], calls);
  for (const { sql, plan } of await plansOf(each(calls))) {
    assert.doesNotMatch(plan, /SCAN|TEMP B-TREE|AUTOMATIC/, sql);
    if (/^(select|update|delete)/.test(sql)) {
      assert.match(plan, /\((org_id|id)=\?/, `${sql}\n${plan}`);
    }
  }
});
