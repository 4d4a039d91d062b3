/** What an export reads costs steps in an index, however much stands there. */
import assert from "node:assert/strict";
import {
  archiveRowsBehind,
  archiveRowsOf,
} from "../../../src/maintenance/archive/archive-rows.store.ts";
import { archiveTableNames, shapeOf } from "../../../src/maintenance/archive/archive-tables.ts";
import { declared } from "../../../src/storage/rows.ts";
import { plansOf } from "../../support/query-plans.ts";

Deno.test("export: each page of a table goes on in an index, and nothing is sorted", async () => {
  const planned = await plansOf(async (tx) => {
    for (const table of archiveTableNames) {
      const { key } = shapeOf(table);
      if (key.length === 0) continue;
      await archiveRowsBehind(tx, "org", table, null, 16);
      const place = key.map((name) => declared(table, name).type === "integer" ? 1 : "a");
      await archiveRowsBehind(tx, "org", table, place, 16);
    }
    for (const table of ["credentials", "quota_uses"] as const) {
      await archiveRowsOf(tx, "org", { table, column: "key_id", values: ["a"] });
    }
    const files = { table: "certificate_files", column: "fingerprint", values: ["a"] } as const;
    await archiveRowsOf(tx, "org", files);
  });
  assert.ok(planned.length > 20);
  for (const { sql, steps } of planned) {
    const walked = steps.filter((step) =>
      /^SCAN (?!w |json_each)/.test(step) || /TEMP B-TREE/.test(step) ||
      (/ > /.test(sql) && /\(org_id=\?\)/.test(step))
    );
    assert.deepEqual(walked, [], sql);
  }
});
