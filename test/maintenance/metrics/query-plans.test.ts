/** What a scrape asks of the store is found by an index, however much waits. */
import assert from "node:assert/strict";
import * as store from "../../../src/maintenance/metrics/metrics.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  pendingRequests: (tx) => store.pendingRequests(tx),
  certificateEnds: (tx) => store.certificateEnds(tx, ["2026-01-01T00:00:00Z"]),
  searchLine: (tx) => store.searchLine(tx),
  fanOutLine: (tx) => store.fanOutLine(tx),
  leakLine: (tx) => store.leakLine(tx),
  deliveriesIn: (tx) => store.deliveriesIn(tx, "waiting"),
  channelsByState: (tx) => store.channelsByState(tx),
  keysAtGateways: (tx) => store.keysAtGateways(tx, "waiting"),
  failingGateways: (tx) => store.failingGateways(tx),
  canaries: (tx) => store.canaries(tx, { since: "2026-01-01T00:00:00Z", longest: 1, slow: 1 }),
  damagesByObject: (tx) => store.damagesByObject(tx),
};

/**
 * What may be read from its beginning: one row an organisation, channel or gateway, what waits to
 * its limit, and what is made of these.
 */
const SHORT = [
  "o",
  "h",
  "delivery_targets",
  "g",
  "gateways",
  "damages",
  "key_request_changes",
  "leak_reports",
  "line",
  "found",
  "each_one",
];

Deno.test("metrics: every question to the store goes by an index, or to a limit", async () => {
  assertAllCalled([store], calls);
  const plans = await plansOf(each(calls));
  for (const { sql, steps } of plans) {
    for (const step of steps) {
      const scanned = /^SCAN (\S+)/.exec(step)?.[1];
      const isFine = scanned === undefined || SHORT.includes(scanned) ||
        step === "SCAN outbox_events USING INDEX outbox_events_waiting" ||
        // Of certificates none but mistakes are in it.
        step === "SCAN certificates USING COVERING INDEX certificates_invalid" ||
        /^SCAN \d+ CONSTANT/.test(step);
      assert.ok(isFine && !/TEMP B-TREE FOR ORDER/.test(step), `${step}\n${sql}`);
      // Of deliveries most are delivered: only the index of the others is short.
      if (step.startsWith("SEARCH d")) assert.match(step, /COVERING INDEX deliveries_open/);
    }
  }
  const all = plans.map(({ plan }) => plan).join("\n");
  for (
    const index of [
      "SEARCH r USING INDEX key_requests_approved (org_id=? AND approved=?)",
      "SEARCH r USING COVERING INDEX key_requests_waiting (org_id=?)",
      "SCAN outbox_events USING INDEX outbox_events_waiting",
    ]
  ) assert.ok(all.includes(index), `${index}\n${all}`);
});
