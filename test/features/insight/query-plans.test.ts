/** Every statement of the glance goes by an index, and walks no list. */
import assert from "node:assert/strict";
import * as ends from "../../../src/features/insight/expiries.store.ts";
import * as steps from "../../../src/features/insight/first-steps.store.ts";
import * as asked from "../../../src/features/key-requests/asked-requests.store.ts";
import {
  newestApprovals,
  newestDeclines,
} from "../../../src/features/key-requests/decision-times.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

const org_id = "org";
const now = "2026-01-01T00:00:00.000Z";

const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
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
  firstPasskey: (tx) => steps.firstPasskey(tx, { org_id }),
  firstInvited: (tx) => steps.firstInvited(tx, { org_id }),
  lastMailed: (tx) => steps.lastMailed(tx, { org_id }),
};

Deno.test("sqlite: every statement of the glance finds its rows by an index", async () => {
  assertAllCalled([ends, steps, asked, { newestApprovals, newestDeclines }], calls);
  for (const { sql, steps } of await plansOf(each(calls))) {
    for (const step of steps) {
      // What was found, at most 1,000 rows, is walked; a table never is.
      assert.doesNotMatch(
        step,
        /SCAN (?!\(?(subquery|day_|part_|kind_|[cskdit]\b|\d|CONSTANT))|AUTOMATIC/,
        `${sql}\n${steps.join("\n")}`,
      );
    }
  }
});
