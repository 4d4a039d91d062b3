/** How lists and searches of developers find their rows, and what the migration made of rows that were there. */
import assert from "node:assert/strict";
import { emptyDeveloper } from "../../src/developers/developer.ts";
import * as lists from "../../src/developers/developer-list.store.ts";
import * as words from "../../src/developers/developer-words.store.ts";
import { indexDevelopers } from "../../src/developers/developer-words.transactions.ts";
import { insertDeveloper } from "../../src/developers/developers.store.ts";
import { developersSchema } from "../../src/storage/migrations/0011-developers.ts";
import { builders, type SqlValue, type Statement } from "../../src/storage/statement.ts";
import { defineTransaction, type Tx } from "../../src/storage/storage.ts";
import { testOnStores, testStore } from "../support/stores.ts";

const org_id = "org";

const explained = defineTransaction("test.developer-reads", async (tx, _: null) => {
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
  const page = { place: { sort: "m", id: "" }, limit: 21 };
  for (const newestFirst of [true, false]) {
    for (const inactive of [undefined, true, false]) {
      await lists.walkDevelopers(recorder, org_id, { inactive, newestFirst }, page);
    }
  }
  await lists.findByWord(recorder, org_id, "m", page);
  await lists.findListed(recorder, org_id, "id");
  await lists.countsOf(recorder, org_id, ["id"]);
  await words.hasUnworded(recorder);
  await words.hasUnwordedOf(recorder, org_id);
  await words.lockUnworded(recorder, org_id);
  await words.putWords(recorder, { org_id, id: "id" }, ["word"]);
  const plans: [string, string][] = [];
  for (const [sql, values] of found) {
    const steps = await tx.rows<Record<never, never>, { detail: string }>(
      { compile: () => ({ sql: `explain query plan ${sql}`, values: () => values }) },
      {},
    );
    plans.push([sql, steps.map((step) => step.detail).join("\n")]);
  }
  return plans;
});

Deno.test("sqlite: lists and searches of developers walk an index in its order", async () => {
  await using place = await testStore("sqlite", [explained]);
  const storage = await place.open();
  const plans = await storage.commit(explained, null);
  assert.equal(plans.length, 15);
  for (const [sql, plan] of plans) {
    const context = `${sql}\n${plan}`;
    assert.doesNotMatch(plan, /TEMP B-TREE|AUTOMATIC/, context);
    for (const step of plan.split("\n")) {
      // Rows that were counted out already, the words of one developer, and whoever waits.
      if (
        !/^(SCAN (counted|w|\(subquery)|SCAN developers USING .*developers_unworded)/.test(step)
      ) {
        assert.doesNotMatch(step, /^SCAN/, context);
      }
    }
  }
});

const ALL = [
  { id: "active", inactive: false, fields: { inactive: true } },
  { id: "inactive", inactive: true, fields: {} },
];

const insertAll = defineTransaction("test.insert-developers", async (tx, _: null) => {
  for (const one of ALL) {
    const date_created = "2026-01-31T09:00:00Z";
    await insertDeveloper(tx, org_id, { ...emptyDeveloper(one.id), ...one, date_created });
  }
});

/** The state that the migration gives rows which were there before it. */
const migratedAgain = defineTransaction("test.migrated-again", async (tx, _: null) => {
  const raw = (sql: string) => tx.change({ compile: () => ({ sql, values: () => [] }) }, {});
  await raw("update developers set inactive = 0");
  for (const query of developersSchema(builders[tx.dialect], tx.dialect)) {
    const { sql } = query.compile();
    if (sql.startsWith("update developers")) await raw(sql);
  }
});

testOnStores(
  "the migration tells active developers from others, and the search then learns of all",
  async (store) => {
    const storage = await store.open();
    await storage.commit(insertAll, null);
    await storage.commit(migratedAgain, null);
    const page = { place: { sort: "~", id: "" }, limit: 21 };
    const walk = { inactive: true, newestFirst: true };
    const [only, none] = await lists.walkDevelopers(storage.reader, org_id, walk, page);
    assert.deepEqual([only?.id, none], ["inactive", undefined]);
    assert.equal(await words.hasUnworded(storage.reader), true);
    assert.equal(await storage.commit(indexDevelopers, { from: "" }), ALL.length);
    assert.equal(await words.hasUnworded(storage.reader), false);
    const at = { place: { sort: "act", id: "" }, limit: 21 };
    const found = await lists.findByWord(storage.reader, org_id, "act", at);
    assert.deepEqual(found.map(({ id, word }) => [id, word]), [["active", "active"]]);
  },
  [insertAll, migratedAgain, indexDevelopers],
);
