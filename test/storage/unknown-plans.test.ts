/** Plans that nobody knows are found plan by plan, however many keys there are. */
import assert from "node:assert/strict";
import { unknownPlansOf, unknownPlansOfAll } from "../../src/features/plans/unknown-plans.store.ts";
import { plansOf } from "../support/query-plans.ts";

Deno.test("sqlite: looking for unknown plans steps through an index and sorts and scans no keys", async () => {
  const asked = await plansOf(async (tx) => {
    await unknownPlansOfAll(tx);
    await unknownPlansOf(tx, { org_id: "org" });
  });
  assert.equal(asked.length, 2);
  for (const { steps } of asked) {
    assert.deepEqual(steps.filter((step) => /^SCAN l\b/.test(step)), []);
    const searches = steps.filter((step) => /^SEARCH l\b/.test(step));
    assert.deepEqual(searches.length, 3, steps.join("\n"));
    for (const step of searches) assert.match(step, /USING PRIMARY KEY \(org_id=\?/, step);
    assert.ok(steps.some((step) => /^SEARCH p USING .*\(org_id=\? AND id=\?\)/.test(step)));
  }
});
