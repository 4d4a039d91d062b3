/** Statements of the meter find their rows by an index. */
import assert from "node:assert/strict";
import * as moving from "../../../../src/features/people/moving.store.ts";
import * as meter from "../../../../src/features/migration/shadow-mode/migration-report.store.ts";
import * as observed from "../../../../src/features/migration/shadow-mode/shadow-calls.store.ts";
import * as switches from "../../../../src/features/migration/shadow-mode/plan-switch.store.ts";
import type { Tx } from "../../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../../support/query-plans.ts";

const at = "2026-01-01T00:00:00.000Z";
const org_id = "org";
const key = { org_id, key_id: "key" };
const begins = 490_000;
const day = { org_id, kind: "key", object_id: "key", begins, verdict: "valid" } as const;
const different = {
  ...key,
  id: "id",
  at,
  developer_id: "dev",
  plan_id: "plan",
  api_id: "",
  door: "",
  reason: "revoked",
};
const set = { org_id, plan: "plan", decided: "here", changed_at: at, changed_by: "user" } as const;

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const byIndex: Record<string, (tx: Tx) => Promise<unknown>> = {
  addShadowRow: (tx) => observed.addShadowRow(tx, { ...day, asked: 1, opened: 1, last_at: at }),
  insertDifference: (tx) => observed.insertDifference(tx, different),
  trimDifferences: (tx) => observed.trimDifferences(tx, key, 100),
  differencesBehind: async (tx) => {
    for (const name of [null, "key_id", "plan_id"] as const) {
      await observed.differencesBehind(tx, org_id, name && { name, value: "x" }, "~", 21);
    }
  },
  eraseShadowCalls: (tx) => observed.eraseShadowCalls(tx, key),
  removeOldDifferences: (tx) => observed.removeOldDifferences(tx, { org_id, before: "6" }, 500),
  hasOldDifferences: (tx) => observed.hasOldDifferences(tx, { org_id, before: "6" }),
  oldShadowRows: (tx) => observed.oldShadowRows(tx, { before: begins }, 1),
  removeOldShadowRows: (tx) => observed.removeOldShadowRows(tx, begins, 500),
  switchesOf: (tx) => switches.switchesOf(tx, { org_id }),
  findSwitch: (tx) => switches.findSwitch(tx, { org_id, plan: "plan" }),
  putSwitch: (tx) => switches.putSwitch(tx, set),
  isMoving: (tx) => moving.isMoving(tx, { org_id }),
  shadowRowsOfAll: (tx) => meter.shadowRowsOfAll(tx, { org_id, from: begins }),
  shadowRowsOfPlans: (tx) => meter.shadowRowsOfPlans(tx, { org_id, from: begins }),
  decidedHere: (tx) => meter.decidedHere(tx, { org_id, from: begins }),
  plansDecidedHere: (tx) => meter.plansDecidedHere(tx, { org_id, day: 20_000 }),
  keysBehind: (tx) => meter.keysBehind(tx, { ...key, now: at }, 21),
  developersKeysBehind: (tx) =>
    meter.developersKeysBehind(
      tx,
      { org_id, developer_id: "dev", issued_at: at, key_id: "k", now: at },
      21,
    ),
  keysThereBehind: (tx) => meter.keysThereBehind(tx, { ...key, begins }, 21),
};

/** These count keys of some days: they sort, or group, what the index gave. */
const grouping: Record<string, (tx: Tx) => Promise<unknown>> = {
  firstShadowHour: (tx) => meter.firstShadowHour(tx, { org_id }),
  keysThere: (tx) => meter.keysThere(tx, { org_id, from: begins }, 21),
  countKeysThere: (tx) => meter.countKeysThere(tx, { org_id, begins }),
  busiestThere: (tx) => meter.busiestThere(tx, { org_id, begins }, 21),
  plansOfKeys: (tx) => meter.plansOfKeys(tx, { org_id, keys: "[]" }),
};

Deno.test("query plans: no statement of the meter looks through a table", async () => {
  assertAllCalled([meter, moving, observed, switches], { ...byIndex, ...grouping });
  for (const { sql, plan } of await plansOf(each(byIndex))) {
    assert.doesNotMatch(plan, /SCAN (?!CONSTANT)|TEMP B-TREE|AUTOMATIC/, `${sql}\n${plan}`);
  }
  for (const { sql, plan } of await plansOf(each(grouping))) {
    assert.doesNotMatch(plan, /SCAN (?!CONSTANT|k$|w VIRTUAL|w$)|AUTOMATIC/m, `${sql}\n${plan}`);
  }
});
