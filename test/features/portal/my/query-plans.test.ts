/** What the developer's pages read of the store is found by indexes, however many there are. */
import assert from "node:assert/strict";
import {
  countActiveKeys,
  countPendingRequests,
} from "../../../../src/features/portal/my/own-counts.store.ts";
import { countSignUpCodes } from "../../../../src/features/developers/sign-in-codes.store.ts";
import {
  lapsedOneTimeLinksOfKey,
  openOneTimeLinksOfKey,
} from "../../../../src/features/portal/my/open-one-time-links.store.ts";
import * as standing from "../../../../src/features/portal/my/own-standing.store.ts";
import {
  newestApprovals,
  newestDeclines,
} from "../../../../src/features/key-requests/decision-times.store.ts";
import { findVerified } from "../../../../src/features/verification/verification.store.ts";
import { plansOf } from "../../../support/query-plans.ts";

Deno.test("my: each statement is found by an index, and sorts nothing but one's own", async () => {
  const owner = { org_id: "o", developer_id: "d" };
  const now = "2026-01-01T00:00:00Z";
  const planned = await plansOf(async (tx) => {
    await countSignUpCodes(tx, { org_id: "o", hour: now, day: now });
    await countActiveKeys(tx, { ...owner, now });
    await countPendingRequests(tx, owner);
    await newestApprovals(tx, { org_id: "o", since: now, until: "~" });
    await newestDeclines(tx, { org_id: "o", since: now, until: "~" });
    await openOneTimeLinksOfKey(tx, { org_id: "o", key_id: "k", now });
    await lapsedOneTimeLinksOfKey(tx, { org_id: "o", key_id: "k", now });
    await standing.newestLiveKeys(tx, owner);
    await standing.newestAskedPlans(tx, owner);
    await standing.keysOfRequests(tx, owner, ["r"]);
    await standing.waitingKeys(tx, owner, now);
    await standing.laterEndsAsked(tx, owner);
    await standing.keysReplacedBy(tx, { ...owner, replaced_by: "k" });
    await findVerified(tx, { org_id: "o", key_id: "k" });
  });
  assert.ok(planned.length >= 10);
  for (const { sql, steps } of planned) {
    // A limited part of one's own that was found already may be counted.
    const scans = steps.filter((step) =>
      /^SCAN/.test(step) && !/^SCAN (k|r|CONSTANT ROW)\b/.test(step)
    );
    assert.deepEqual(scans, [], sql);
    // A step by the organisation alone walks through all that it has.
    const whole = steps.filter((step) => /\(org_id=\?\)/.test(step));
    assert.deepEqual(whole, [], sql);
    const isOwn = /developer_id|by_user/.test(sql);
    if (!isOwn) assert.ok(!steps.some((step) => /TEMP B-TREE/.test(step)), `${sql}\n${steps}`);
  }
});
