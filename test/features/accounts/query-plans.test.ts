/** How statements on developers and plans find their rows. */
import assert from "node:assert/strict";
import { findOwnKeys, lockLiveKeys } from "../../../src/features/keys/end-keys.store.ts";
import * as accounts from "../../../src/features/developers/developer-accounts.store.ts";
import { taggedDevelopers } from "../../../src/features/developers/developer-list.store.ts";
import { listTags } from "../../../src/features/developers/developer-tags.store.ts";
import * as emails from "../../../src/features/developers/folded-emails.store.ts";
import * as ssoKeys from "../../../src/features/developers/sso-keys.store.ts";
import {
  findPending,
  lockPendingOf,
} from "../../../src/features/key-requests/pending-requests.store.ts";
import { namesOfPlans } from "../../../src/features/plans/plan-counts.store.ts";
import * as plans from "../../../src/features/plans/plans.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { plansOf } from "../../support/query-plans.ts";

const org_id = "org";
const place = { sort: "2026", id: "id" };
const position = { before: "~", skip: 3 };

async function readEverything(tx: Tx): Promise<void> {
  await accounts.findDeveloper(tx, { org_id, id: "id" });
  await accounts.findDeveloperByEmail(tx, { org_id, email_key: "a@b" });
  await accounts.findDeveloperBySsoKey(tx, { org_id, hash: "hash" });
  await accounts.greatestForeignCost(tx, org_id);
  await ssoKeys.findSsoKeyOwner(tx, { org_id, hash: "hash" });
  await ssoKeys.hasUnhashedOf(tx, { org_id });
  await ssoKeys.sharedSsoKeysOf(tx, { org_id });
  await emails.findEmailOwner(tx, { org_id, folded: "a@b" });
  await emails.sharedEmailsOf(tx, { org_id });
  await accounts.pageOfDevelopers(tx, org_id, position, 10);
  await accounts.firstDevelopers(tx, org_id, 10);
  await accounts.developersAfter(tx, org_id, undefined, 10);
  await taggedDevelopers(tx, org_id, { tag: "one", newestFirst: true }, { place, limit: 10 });
  await taggedDevelopers(tx, org_id, { tag: "one", newestFirst: false }, { place, limit: 10 });
  await listTags(tx, { org_id, id: "id" });
  await plans.findPlan(tx, { org_id, id: "id" });
  await plans.findPlanRules(tx, org_id, "id");
  await plans.pageOfPlans(tx, org_id, position, 10);
  await plans.firstPlans(tx, org_id, 10);
  await plans.plansAfter(tx, org_id, undefined, 10);
  await findPending(tx, { org_id, by_user: "dev", for_plan: "plan" });
  await lockPendingOf(tx, { org_id, by_user: "dev" });
  await lockLiveKeys(tx, org_id, "dev");
  await findOwnKeys(tx, { org_id, developer_id: "dev" });
  await namesOfPlans(tx, org_id, ["plan"]);
}

Deno.test("sqlite: developers, plans and waiting requests are found by an index, in their order", async () => {
  const found = await plansOf(readEverything);
  assert.equal(found.length, 26);
  for (const { sql, plan } of found) {
    assert.doesNotMatch(plan, /^SCAN /m, `${sql}\n${plan}`);
    assert.match(
      plan,
      // Whoever waits, who shares a key and whose password another system hashed have indexes of
      // their own.
      /^SEARCH \w+ USING ((COVERING )?INDEX (\w+ \(org_id=\? AND |developers_(sso_key_(waiting|shared)|email_shared|foreign_password) )|PRIMARY KEY \(org_id=\? AND )/,
      `${sql}\n${plan}`,
    );
    assert.doesNotMatch(plan, /TEMP B-TREE/, `${sql}\n${plan}`);
  }
});
