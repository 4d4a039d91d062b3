/** How statements on developers and plans find their rows, and what the migration made of rows that were there. */
import assert from "node:assert/strict";
import { findOwnKeys, lockLiveKeys } from "../../src/credentials/end-keys.store.ts";
import * as accounts from "../../src/developers/developer-accounts.store.ts";
import { emptyDeveloper } from "../../src/developers/developer.ts";
import { insertDeveloper } from "../../src/developers/developers.store.ts";
import { findPending, lockPendingOf } from "../../src/key-requests/pending-requests.store.ts";
import { companionsSchema } from "../../src/storage/migrations/0004-companions.ts";
import { countsOfPlans, namesOfPlans } from "../../src/plans/plan-counts.store.ts";
import * as plans from "../../src/plans/plans.store.ts";
import { builders, type SqlValue, type Statement, statement } from "../../src/storage/statement.ts";
import { defineTransaction, type Tx } from "../../src/storage/storage.ts";
import { testOnStores, testStore } from "../support/stores.ts";

const org_id = "org";
const position = { before: "~", skip: 3 };

const reads = defineTransaction("test.companion-reads", async (tx, _: null) => {
  const found: [string, SqlValue[]][] = [];
  const note = <P extends object>(s: Statement<P, unknown>, params: P) => {
    const { sql, values } = s.compile(tx.dialect);
    found.push([sql, values(params)]);
  };
  const recorder: Tx = {
    dialect: tx.dialect,
    sealer: tx.sealer,
    counts: tx.counts,
    rows: (s, p) => (note(s, p), tx.rows(s, p)),
    row: (s, p) => (note(s, p), tx.row(s, p)),
    change: (s, p) => (note(s, p), tx.change(s, p)),
    send: (s, p) => (note(s, p), tx.send(s, p)),
  };
  await accounts.findDeveloper(recorder, org_id, "id");
  await accounts.findDeveloperByEmail(recorder, org_id, "a@b");
  await accounts.pageOfDevelopers(recorder, org_id, position, 10);
  await accounts.firstDevelopers(recorder, org_id, 10);
  await accounts.developersAfter(recorder, org_id, undefined, 10);
  await plans.findPlan(recorder, org_id, "id");
  await plans.findPlanRules(recorder, org_id, "id");
  await plans.pageOfPlans(recorder, org_id, position, 10);
  await plans.firstPlans(recorder, org_id, 10);
  await plans.plansAfter(recorder, org_id, undefined, 10);
  await findPending(recorder, org_id, "dev", "plan");
  await lockPendingOf(recorder, org_id, "dev");
  await lockLiveKeys(recorder, org_id, "dev");
  await findOwnKeys(recorder, org_id, "dev");
  await namesOfPlans(recorder, org_id, ["plan"]);
  await countsOfPlans(recorder, org_id, ["plan"]);
  const explained: [string, string][] = [];
  for (const [sql, values] of found) {
    const steps = await tx.rows<Record<never, never>, { detail: string }>(
      { compile: () => ({ sql: `explain query plan ${sql}`, values: () => values }) },
      {},
    );
    explained.push([sql, steps.map((step) => step.detail).join("\n")]);
  }
  return explained;
});

Deno.test("sqlite: developers, plans and waiting requests are found by an index, in their order", async () => {
  await using place = await testStore("sqlite", [reads]);
  const storage = await place.open();
  const explained = await storage.commit(reads, null);
  assert.equal(explained.length, 16);
  for (const [sql, plan] of explained) {
    // What is counted out of these is walked and no more.
    assert.doesNotMatch(plan, /^SCAN (?!counted)/m, `${sql}\n${plan}`);
    assert.match(
      plan,
      /^SEARCH \w+ USING (COVERING )?INDEX \w+ \(org_id=\? AND /,
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

/** Developers as the interface added them; then what the migration makes of them is made once more. */
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
