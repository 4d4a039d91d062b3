/** Every statement on leaks finds its rows by an index. */
import assert from "node:assert/strict";
import * as leaks from "../../../../src/features/hygiene/leaks/leaks.store.ts";
import type { Tx } from "../../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../../support/query-plans.ts";

const at = "2026-01-01T00:00:00.000Z";
const place = { org_id: "org", object: "credential", object_id: "key" } as const;

/** A call of every function that the store exports; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  addReport: (tx) =>
    leaks.addReport(tx, {
      hash: "h",
      name_hash: "",
      secret_hash: "",
      at,
      reported_by: "",
      url: "",
      request_id: "",
      caller_request_id: "",
      client_address: "",
    }),
  reportsBehind: (tx) => leaks.reportsBehind(tx, { behind: "" }, 200),
  takeReport: (tx) => leaks.takeReport(tx, { hash: "h" }),
  findWanted: (tx) => leaks.findWanted(tx, place),
  markDismissed: (tx) => leaks.markDismissed(tx, { org_id: "org", key_id: "key", at, by: "ada" }),
  wasReported: (tx) => leaks.wasReported(tx, { org_id: "org", key_id: "key" }),
  leakedKeys: (tx) => leaks.leakedKeys(tx, { org_id: "org", sort: "~", id: "" }, 21),
  leakedTokens: (tx) => leaks.leakedTokens(tx, { org_id: "org", sort: "~", id: "" }, 21),
  putLeak: (tx) =>
    leaks.putLeak(tx, { ...place, action: "tell", reported_at: at, reported_by: "", url: "" }),
};

Deno.test("query plans: no statement on leaks looks through its table or sorts", async () => {
  assertAllCalled([leaks], calls);
  const plans = await plansOf(each(calls));
  assert.ok(plans.length >= 5);
  for (const { sql, plan } of plans) {
    assert.doesNotMatch(plan, /SCAN (?!.*USING)|TEMP B-TREE/, `${sql}\n${plan}`);
  }
});
