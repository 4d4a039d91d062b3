/** What moving in asks for again and again costs a step in an index, however much is here. */
import assert from "node:assert/strict";
import {
  clearFindings,
  findingsAfter,
  forgetFindings,
  importedOf,
  leftOut,
  openKeysAfter,
  places,
} from "../../../src/maintenance/import/imports.store.ts";
import { hereOf } from "../../../src/maintenance/import/here.store.ts";
import { planNameTaken } from "../../../src/maintenance/import/plan-names.store.ts";
import { kinds } from "../../../src/maintenance/import/source.ts";
import { openAmong, reportedUserNames } from "../../../src/maintenance/import/user-names.store.ts";
import { plansOf } from "../../support/query-plans.ts";

Deno.test("moving in: every statement of a batch searches an index by all that it names", async () => {
  const planned = await plansOf(async (tx) => {
    for (const kind of kinds) {
      await importedOf(tx, "org", kind, ["a", "b"]);
      const ids = kind === "rest" ? ['["claims","a"]', '["quota_uses","a","b",1]'] : ["a", "b"];
      await hereOf(tx, tx.sealer, "org", kind, ids);
    }
    await clearFindings(tx, "org", "request", ["a"]);
    await forgetFindings(tx, { org_id: "org", kind: "key", code: "gone_there" });
    await leftOut(tx, "org", "key", ["a", "b"]);
    for (const place of places) await openKeysAfter(tx, "org", place, "a", 100);
    await openAmong(tx, "org", ["a", "b"]);
    await reportedUserNames(tx, "org", ["a", "b"]);
    await findingsAfter(tx, "org", { kind: "", id: "", code: "" }, 100);
    await planNameTaken(tx, { org_id: "org", name: "name", id: "id" });
  });
  assert.ok(planned.length > 10);
  for (const { sql, steps } of planned) {
    const walked = steps.filter((step) =>
      /^SCAN (?!w |json_each)/.test(step) ||
      // By the organisation alone is all of it; a catalogue is one row with its entries.
      (/\(org_id=\?\)/.test(step) && !/catalogue|portal_configurations/.test(step))
    );
    assert.deepEqual(walked, [], sql);
  }
});
