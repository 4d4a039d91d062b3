/** Every statement of the glance goes by an index, and walks no list. */
import assert from "node:assert/strict";
import * as busiest from "../../../src/features/insight/busiest.store.ts";
import * as ends from "../../../src/features/insight/ends.store.ts";
import * as steps from "../../../src/features/insight/first-steps.store.ts";
import * as asked from "../../../src/features/key-requests/asked-requests.store.ts";
import {
  newestApprovals,
  newestDeclines,
} from "../../../src/features/key-requests/decision-times.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

const org_id = "org";
const span = { org_id, from: 490_008 - 490_008 % 24, until: 490_008 - 490_008 % 24 + 720 };
const now = "2026-01-01T00:00:00.000Z";

const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  busiestOf: async (tx) => {
    for (const kind of ["key", "plan"] as const) await busiest.busiestOf(tx, span, kind, 4);
  },
  daysOfPlans: (tx) => busiest.daysOfPlans(tx, span, ["one", "two"]),
  namedKeys: (tx) => busiest.namedKeys(tx, org_id, ["one", "two"]),
  silentKeys: (tx) => busiest.silentKeys(tx, org_id, now, 3),
  countKeyEnds: (tx) => ends.countKeyEnds(tx, org_id, [now, "2027", "2028"]),
  keysEnding: (tx) => ends.keysEnding(tx, { org_id, now }, 4),
  certificatesEnding: (tx) => ends.certificatesEnding(tx, org_id, [0, 2], now, 4),
  openLeaks: (tx) => ends.openLeaks(tx, { org_id, now }, 4),
  dueCertificates: async (tx) => {
    for (const newestFirst of [false, true]) {
      await ends.dueCertificates(tx, org_id, [0, 2], { from: now, to: "2027", now }, newestFirst);
    }
  },
  standingTokens: (tx) => steps.standingTokens(tx, { org_id }),
  countAsked: (tx) => asked.countAsked(tx, org_id, "2025-12-25", now),
  newestApprovals: (tx) => newestApprovals(tx, { org_id, since: "2025", until: now }),
  newestDeclines: (tx) => newestDeclines(tx, { org_id, since: "2025", until: now }),
  lastMailed: (tx) => steps.lastMailed(tx, { org_id }),
};

Deno.test("sqlite: every statement of the glance finds its rows by an index", async () => {
  assertAllCalled([busiest, ends, steps, asked, { newestApprovals, newestDeclines }], calls);
  for (const { sql, steps } of await plansOf(each(calls))) {
    for (const step of steps) {
      // What was found, at most 1,000 rows, is walked; a table never is.
      assert.doesNotMatch(
        step,
        /SCAN (?!\(?(subquery|day_|part_|kind_|[cskdit]\b|\d|CONSTANT))|AUTOMATIC/,
        `${sql}\n${steps.join("\n")}`,
      );
    }
    if (sql.includes("order by success desc")) {
      assert.match(steps.join("\n"), /usage_days_busiest_(key|plan)s \(org_id=\? AND <expr>=\?\)/);
      assert.match(steps.join("\n"), /object_id=\? AND begins>\?/);
    }
  }
});
