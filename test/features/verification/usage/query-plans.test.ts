/** Every statement on counts finds its rows by an index. */
import assert from "node:assert/strict";
import * as store from "../../../../src/features/verification/usage/usage.store.ts";
import { usageTables } from "../../../../src/features/verification/usage/usage.ts";
import { statement } from "../../../../src/storage/statement.ts";
import type { Tx } from "../../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../../support/query-plans.ts";

const org_id = "org";
const counts = { success: 1, error_401: 0, error_403: 0, error_429: 0 };
const asked = { org_id, from: 490_000, until: 490_720, plan_id: "", api_id: "" };
const ids = (n: number) => Array.from({ length: n }, (_, i) => `object-${i}`);

const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  addRow: async (tx) => {
    for (const table of usageTables) {
      await store.addRow(tx, {
        table,
        org_id,
        kind: "key",
        object_id: "key",
        begins: 1,
        plan_id: "",
        api_id: "",
        ...counts,
        last_hit: "2026-01-01T00:00:00.000Z",
      });
    }
  },
  lockDevelopers: (tx) => store.lockDevelopers(tx, org_id, ids(30)),
  isRevoked: (tx) => store.isRevoked(tx, { org_id, key_id: "key" }),
  sumUsage: async (tx) => {
    for (const table of usageTables) {
      await store.sumUsage(tx, { ...asked, table, kind: "plan" }, ids(1));
      await store.sumUsage(tx, { ...asked, table, kind: "key" }, ids(25));
    }
  },
  sumUsageOfKeys: (tx) => store.sumUsageOfKeys(tx, org_id, { from: 1, until: 2 }, ids(30)),
  hasOldUsage: (tx) => store.hasOldUsage(tx, "usage_hours", 1),
  countOldUsage: (tx) => store.countOldUsage(tx, "usage_days", 1),
  removeOldUsage: (tx) => store.removeOldUsage(tx, "usage_days", 1, 200),
  forgetUsageOf: (tx) => store.forgetUsageOf(tx, org_id, "dev"),
  findErasure: (tx) => store.findErasure(tx),
  countErasures: (tx) => store.countErasures(tx),
  erase: async (tx) => {
    await tx.change(askErasureSql, {});
    await store.erase(tx, { org_id, key_id: "key" }, 200);
  },
};

const askErasureSql = statement<Record<never, never>>()((db) =>
  db.insertInto("usage_erasures").values({ org_id, key_id: "key" })
);

Deno.test("sqlite: every statement on counts finds its rows by an index", async () => {
  assertAllCalled([store], calls);
  for (const { sql, steps } of await plansOf(each(calls))) {
    // The few keys of deleted developers are read in their order, or counted.
    if (/^select .* from "usage_erasures"( order|$)/.test(sql)) continue;
    const found = steps.filter((step) => !/LIST SUBQUERY|MULTI-INDEX/.test(step)).join("\n");
    if (sql.startsWith("insert") && sql.includes("values")) continue;
    assert.match(found, /SEARCH .* USING (COVERING )?(INDEX|PRIMARY KEY)/, `${sql}\n${found}`);
    // Several things together are sorted by their hours: these few rows, and nothing else.
    const isSorted = sql.includes("object_id in") && sql.includes("group by");
    assert.doesNotMatch(found, isSorted ? /SCAN|AUTOMATIC/ : /SCAN|TEMP B-TREE|AUTOMATIC/, sql);
    if (sql.includes("group by")) {
      assert.match(
        found,
        /PRIMARY KEY \(org_id=\? AND kind=\? AND object_id=\? AND begins>\?/,
        sql,
      );
    }
  }
});
