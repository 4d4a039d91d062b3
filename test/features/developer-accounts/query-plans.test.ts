/**
 * How statements on developers and plans find their rows, and what the migration made of rows that
 * were there.
 */
import assert from "node:assert/strict";
import { findOwnKeys, lockLiveKeys } from "../../../src/features/keys/end-keys.store.ts";
import * as accounts from "../../../src/features/developers/developer-accounts.store.ts";
import * as emails from "../../../src/features/developers/folded-emails.store.ts";
import * as ssoKeys from "../../../src/features/developers/sso-keys.store.ts";
import { emptyDeveloper } from "../../../src/features/developers/developer.ts";
import { insertDeveloper } from "../../../src/features/developers/developers.store.ts";
import {
  findPending,
  lockPendingOf,
} from "../../../src/features/key-requests/pending-requests.store.ts";
import { namesOfPlans } from "../../../src/features/plans/plan-counts.store.ts";
import * as plans from "../../../src/features/plans/plans.store.ts";
import { companionsSchema } from "../../../src/storage/migrations/0004-companions.ts";
import { builders, statement } from "../../../src/storage/statement.ts";
import { defineTransaction, type Tx } from "../../../src/storage/storage.ts";
import { plansOf } from "../../support/query-plans.ts";
import { testOnStores } from "../../support/stores.ts";

const org_id = "org";
const position = { before: "~", skip: 3 };

async function readEverything(tx: Tx): Promise<void> {
  await accounts.findDeveloper(tx, { org_id, id: "id" });
  await accounts.findDeveloperByEmail(tx, { org_id, email_key: "a@b" });
  await accounts.findDeveloperBySsoKey(tx, { org_id, hash: "hash" });
  await accounts.greatestForeignCost(tx, org_id);
  await ssoKeys.findSsoKeyHolder(tx, { org_id, hash: "hash" });
  await ssoKeys.hasUnhashedOf(tx, { org_id });
  await ssoKeys.sharedSsoKeysOf(tx, { org_id });
  await emails.findEmailHolder(tx, { org_id, folded: "a@b" });
  await emails.sharedEmailsOf(tx, { org_id });
  await accounts.pageOfDevelopers(tx, org_id, position, 10);
  await accounts.firstDevelopers(tx, org_id, 10);
  await accounts.developersAfter(tx, org_id, undefined, 10);
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
  assert.equal(found.length, 22);
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

const countsSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("list_counts").select(["list", "level", "bucket"])
    .select((eb) => eb.fn.sum<number>("n").as("n")).where("list", "=", "developers")
    .groupBy(["list", "level", "bucket"]).orderBy("level").orderBy("bucket")
);
const instantsSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("developers").select(["id", "instant"]).orderBy("id")
);

const DATES = [
  "0001-01-01T00:00:00Z",
  "2026-01-31T09:00:00Z",
  "2026-01-31T09:00:00.5Z",
  "2026-01-31T09:00:00.123456789Z",
];

const insertAll = defineTransaction("test.insert-developers", async (tx, _: null) => {
  for (const [n, date_created] of DATES.entries()) {
    await insertDeveloper(tx, org_id, { ...emptyDeveloper(`dev-${n}`), date_created });
  }
});

/**
 * Developers as the interface added them; then what the migration makes of them is made once more.
 */
const migratedAgain = defineTransaction("test.migrated-again", async (tx, _: null) => {
  const before = [await tx.rows(countsSql, {}), await tx.rows(instantsSql, {})];
  const raw = (sql: string) => tx.change({ compile: () => ({ sql, values: () => [] }) }, {});
  await raw("delete from list_counts");
  await raw("update developers set instant = ''");
  for (const query of companionsSchema(builders[tx.dialect], tx.dialect)) {
    const { sql } = query.compile();
    if (/^(update developers|insert into list_counts)/.test(sql)) await raw(sql);
  }
  return { before, after: [await tx.rows(countsSql, {}), await tx.rows(instantsSql, {})] };
});

testOnStores(
  "the migration gives developers the instant and the counters that adding them gives",
  async (store) => {
    const storage = await store.open();
    await storage.commit(insertAll, null);
    const { before, after } = await storage.commit(migratedAgain, null);
    assert.deepEqual(after, before);
    assert.equal(before[1]?.length, DATES.length);
  },
  [insertAll, migratedAgain],
);
