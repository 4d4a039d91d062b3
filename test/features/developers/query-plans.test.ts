/** How lists and searches of developers find their rows. */
import assert from "node:assert/strict";
import * as lists from "../../../src/features/developers/developer-list.store.ts";
import * as words from "../../../src/features/developers/developer-words.store.ts";
import { indexDevelopers } from "../../../src/features/developers/developer-words.transactions.ts";
import { emptyDeveloper } from "../../../src/features/developers/developer.ts";
import { insertDeveloper } from "../../../src/features/developers/developers.store.ts";
import { defineTransaction, type Tx } from "../../../src/storage/storage.ts";
import { plansOf } from "../../support/query-plans.ts";
import { testOnStores } from "../../support/stores.ts";

const org_id = "org";

async function readEverything(tx: Tx): Promise<void> {
  const page = { place: { sort: "m", id: "" }, limit: 21 };
  for (const newestFirst of [true, false]) {
    for (const inactive of [undefined, true, false]) {
      await lists.walkDevelopers(tx, org_id, { inactive, newestFirst }, page);
    }
  }
  for (const descending of [true, false]) {
    await lists.developersByEmail(tx, org_id, { inactive: false, descending }, page);
  }
  await lists.findByWord(tx, org_id, "m", page);
  await lists.findListed(tx, { org_id, id: "id" });
  await lists.countsOf(tx, org_id, ["id"]);
  await words.hasUnworded(tx);
  await words.hasUnwordedOf(tx, { org_id });
  await words.lockUnworded(tx, { from: org_id });
  await words.putWords(tx, { org_id, id: "id" }, ["word"]);
}

Deno.test("sqlite: lists and searches of developers walk an index in its order", async () => {
  const plans = await plansOf(readEverything);
  assert.equal(plans.length, 15);
  for (const { sql, plan, steps } of plans) {
    const context = `${sql}\n${plan}`;
    assert.doesNotMatch(plan, /TEMP B-TREE|AUTOMATIC/, context);
    for (const step of steps) {
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

testOnStores(
  "inactive developers are told from others, and the search learns of all",
  async (store) => {
    const storage = await store.open();
    await storage.commit(insertAll, null);
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
  [insertAll, indexDevelopers],
);
