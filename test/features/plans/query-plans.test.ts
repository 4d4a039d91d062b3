/** Plans are found by either id, and what there is of them is counted, through indexes. */
import assert from "node:assert/strict";
import {
  entriesOfPlan,
  findEntryOfPlan,
  listLiveEntries,
} from "../../../src/features/plans/catalogue/catalogue.store.ts";
import { countsOfPlans, namesOfPlans } from "../../../src/features/plans/plan-counts.store.ts";
import { planIdsOf } from "../../../src/features/plans/plan-ids.store.ts";
import {
  findPlanRules,
  findPlanView,
  lockPlan,
  planViewsOf,
} from "../../../src/features/plans/plans.store.ts";
import { plansOf } from "../../support/query-plans.ts";

Deno.test("sqlite: finding plans, their entries and what there is of them scans no table", async () => {
  const asked = await plansOf(async (tx) => {
    await findPlanRules(tx, "org", "gold");
    await findPlanView(tx, { org_id: "org", id: "gold" });
    await lockPlan(tx, "org", "gold");
    await planViewsOf(tx, "org", ["gold", "silver"]);
    await planIdsOf(tx, "org", ["gold", "silver"]);
    await namesOfPlans(tx, "org", ["gold"]);
    await countsOfPlans(tx, "org", ["gold"]);
    await findEntryOfPlan(tx, { org_id: "org", policy_id: "gold" });
    await entriesOfPlan(tx, { org_id: "org", policy_id: "gold" });
    await listLiveEntries(tx, { org_id: "org" });
  });
  assert.equal(asked.length, 9, "findPlanView and lockPlan are one statement on SQLite");
  for (const { steps } of asked) {
    // A subquery that was worked out is small; tables are entered by an index.
    const tables = /^SCAN (plans|plan_ids|p|i|e|l|r|catalogue_entries|credential_plans)\b/;
    assert.deepEqual(steps.filter((step) => tables.test(step)), [], steps.join("\n"));
    for (const step of steps.filter((one) => /^SEARCH [a-z]\b/.test(one))) {
      assert.match(step, /\(org_id=\?/, step);
    }
  }
  const counts = asked.find(({ sql }) => sql.includes("pending_requests"));
  const counted = counts?.steps.filter((step) => /^SEARCH [lr]\b/.test(step)) ?? [];
  // Two ids, and keys in two states beside requests that wait.
  assert.equal(counted.length, 6, counts?.plan ?? "");
  for (const step of counted) assert.match(step, /\(org_id=\? AND (plan_id|for_plan)=\?/, step);
});
