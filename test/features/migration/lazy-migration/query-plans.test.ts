/** Statements of learning find their rows by an index. */
import assert from "node:assert/strict";
import * as learning from "../../../../src/features/migration/lazy-migration/lazy-migration.store.ts";
import type { Tx } from "../../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../../support/query-plans.ts";

const at = "2026-01-01T00:00:00.000Z";
const org_id = "org";
const of = { org_id, gateway_id: "gateway" };
const key = { org_id, key_id: "key" };
const row = { ...of, started_at: at, started_by: "user", ends_at: at, questions_per_second: 20 };
const learned = { ...of, key_id: "key", remote_id: "name", learned_at: at, asked_at: at, seen: "" };
const seen = { ...key, seen: "", reported: "", awaits_since: null };

/** A call of every function that the store exports; one that stands nowhere here fails the test. */
const byIndex: Record<string, (tx: Tx) => Promise<unknown>> = {
  findLazyMigration: (tx) => learning.findLazyMigration(tx, of),
  learningsOf: (tx) => learning.learningsOf(tx, { org_id }),
  lockLazyMigration: (tx) => learning.lockLazyMigration(tx, of),
  putLazyMigration: (tx) => learning.putLazyMigration(tx, row),
  endLazyMigration: (tx) => learning.endLazyMigration(tx, { ...of, now: at }),
  sourcesOf: (tx) => learning.sourcesOf(tx, { org_id, now: at }),
  findMigratedAs: (tx) => learning.findMigratedAs(tx, { ...of, remote_id: "name" }),
  findNamedThere: (tx) => learning.findNamedThere(tx, { ...of, remote_id: "name" }),
  findStanding: (tx) => learning.findStanding(tx, key),
  insertMigrated: (tx) => learning.insertMigrated(tx, learned),
  setImportedAs: (tx) => learning.setImportedAs(tx, { ...key, remote_id: "name" }),
  lockMigrated: (tx) => learning.lockMigrated(tx, key),
  noteAsked: (tx) => learning.noteAsked(tx, { ...key, asked_at: at }),
  noteSeen: (tx) => learning.noteSeen(tx, seen),
  noteLosses: (tx) => learning.noteLosses(tx, { ...of, losses: 1, losses_since: at }),
  noteConfirmed: (tx) => learning.noteConfirmed(tx, { ...of, confirmed_at: at }),
  countAwaiting: (tx) => learning.countAwaiting(tx, { ...of, behind: at }),
  isAnyAwaiting: (tx) => learning.isAnyAwaiting(tx, { ...of, behind: at }),
  awaitsSince: (tx) => learning.awaitsSince(tx, { ...of, behind: at }),
  dueConfirmed: (tx) => learning.dueConfirmed(tx, { ...of, confirmed_at: at }, 21),
  dueCalled: (tx) => learning.dueCalled(tx, { ...of, asked_by: at, hour: 1 }, 21),
  countMigrated: (tx) => learning.countMigrated(tx, of),
  dueInUse: (tx) => learning.dueInUse(tx, { ...of, asked_by: at }, 21),
  dueAtRest: (tx) => learning.dueAtRest(tx, { ...of, asked_by: at }, 21),
  countDue: (tx) => learning.countDue(tx, { ...of, asked_by: at }),
  findBrought: (tx) => learning.findBrought(tx, { ...of, key_id: "key" }),
};

/** It reads a row for each gateway that ever taught, of which there are few. */
const few: Record<string, (tx: Tx) => Promise<unknown>> = {
  everySource: (tx) => learning.everySource(tx, { now: at }),
};

Deno.test("query plans: no statement of learning looks through a table of keys", async () => {
  assertAllCalled([learning], { ...byIndex, ...few });
  for (const { sql, plan } of await plansOf(each(byIndex))) {
    assert.doesNotMatch(plan, /SCAN (?!CONSTANT)|TEMP B-TREE|AUTOMATIC/, `${sql}\n${plan}`);
  }
  for (const { sql, plan } of await plansOf(each(few))) {
    assert.doesNotMatch(plan, /SCAN (?!l\b)|AUTOMATIC/, `${sql}\n${plan}`);
  }
});
