import assert from "node:assert/strict";
import * as claims from "../../src/claims/claims.store.ts";
import * as native from "../../src/key-requests/native.store.ts";
import * as search from "../../src/key-requests/search.store.ts";
import type { SqlValue, Statement } from "../../src/storage/statement.ts";
import { type Connection, defineTransaction, type Tx } from "../../src/storage/storage.ts";
import { testStore } from "../support/stores.ts";

const org_id = "org";
const at = "2026-01-01T00:00:00.000Z";
const instant = "2026-01-01T00:00:00.000000000Z";
const place = { sort: instant, id: "id" };
const decided = { org_id, id: "id", approved: 0, instant };

/** The walks of the lists, each with the index that it must walk and how far the index finds its place. */
const walks: [walk: Parameters<typeof native.walkRequests>[2], index: RegExp][] = [
  [{ walk: "open" }, /key_requests_newest \(org_id=\? AND \(instant,id\)/],
  [{ walk: "unapproved" }, /key_requests_approved \(org_id=\? AND approved=\? AND \(instant,id\)/],
  [{ walk: "waiting" }, /key_requests_waiting \(org_id=\? AND \(instant,id\)/],
  [{ walk: "issued" }, /key_requests_issued \(org_id=\? AND \(instant,id\)/],
  [{ walk: "declined" }, /key_requests_declined \(org_id=\? AND \(instant,id\)/],
  [
    { walk: "plan", named: "plan", state: "issued" },
    /key_requests_plan \(org_id=\? AND for_plan=\? AND state=\? AND \(instant,id\)/,
  ],
  [
    { walk: "developer", named: "dev" },
    /key_requests_developer \(org_id=\? AND by_user=\? AND \(instant,id\)/,
  ],
];

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  walkRequests: async (tx) => {
    for (const [walk] of walks) {
      for (const newestFirst of [true, false]) {
        await native.walkRequests(tx, org_id, walk, { newestFirst, place, limit: 21 });
      }
    }
  },
  findNative: (tx) => native.findNative(tx, org_id, "id"),
  findNativeOf: (tx) => native.findNativeOf(tx, org_id, ["id"]),
  findBriefs: (tx) => native.findBriefs(tx, org_id, "dev"),
  lockForDecision: (tx) => native.lockForDecision(tx, org_id, "id"),
  markDeclined: (tx) => native.markDeclined(tx, decided, { at, by: "user", reason: null }),
  markReopened: (tx) => native.markReopened(tx, decided),
  setReason: (tx) => native.setReason(tx, org_id, "id", "reason"),
  noteForSearch: (tx) => search.noteForSearch(tx, org_id, "id"),
  hasChangesOf: (tx) => search.hasChangesOf(tx, org_id),
  lockChanges: (tx) => search.lockChanges(tx, ""),
  removeChange: (tx) => search.removeChange(tx, org_id, "mark"),
  findSearched: (tx) => search.findSearched(tx, { org_id, id: "id" }),
  findPosition: (tx) => search.findPosition(tx, { org_id, id: "id" }),
  indexRequest: (tx) =>
    search.indexRequest(tx, { org_id, id: "id", position: 1, instant, text: "text" }),
  addSearchText: (tx) => search.addSearchText(tx, { org_id, position: 2, text: "text" }),
  unindexRequest: (tx) => search.unindexRequest(tx, { org_id, id: "id" }, 1),
  findMatches: async (tx) => {
    for (const newestFirst of [true, false]) {
      await search.findMatches(tx, org_id, "text", { newestFirst, position: 1, limit: 21 });
    }
  },
  insertClaim: (tx) =>
    claims.insertClaim(tx, {
      ...{ org_id, id: "id", hash: "hash", secret: "sealed", key_id: "key", request_id: "id" },
      ...{ created_by: "user", created_at: at, expires_at: at },
    }),
  lockByHash: (tx) => claims.lockByHash(tx, "hash"),
  markClosed: (tx) => claims.markClosed(tx, { org_id, id: "id" }, { state: "opened", at }),
  findClaim: (tx) => claims.findClaim(tx, org_id, "id"),
  claimsAfter: (tx) => claims.claimsAfter(tx, org_id, place, 101),
};

const seen = new Map<string, SqlValue[]>();

/** Passes statements on and remembers how each was compiled, and its values. */
function recording(tx: Tx, into: Map<string, SqlValue[]>): Tx {
  const note = <P extends object>(statement: Statement<P, unknown>, params: P) => {
    const compiled = statement.compile(tx.dialect);
    into.set(compiled.sql, compiled.values(params));
  };
  return {
    dialect: tx.dialect,
    sealer: tx.sealer,
    counts: tx.counts,
    rows: (s, p) => (note(s, p), tx.rows(s, p)),
    row: (s, p) => (note(s, p), tx.row(s, p)),
    change: (s, p) => (note(s, p), tx.change(s, p)),
    send: (s, p) => (note(s, p), tx.send(s, p)),
  };
}

const callEverything = defineTransaction("test.call-native-stores", async (tx, _: null) => {
  const recorder = recording(tx, seen);
  for (const call of Object.values(calls)) await call(recorder);
});

/** How SQLite says that it will run a statement, one step a line. */
async function planOf(db: Connection, sql: string, values: SqlValue[]): Promise<string[]> {
  const steps = await db.rows<Record<never, never>, { detail: string }>(
    { compile: () => ({ sql: `explain query plan ${sql}`, values: () => values }) },
    {},
  );
  return steps.map((step) => step.detail);
}

Deno.test("sqlite: every statement of the native lists finds its rows by an index, in their order", async () => {
  // `hasChanges` asks whether a table is empty.
  const functions = Object.entries({ ...native, ...search, ...claims })
    .filter(([name, value]) => typeof value === "function" && name !== "hasChanges")
    .map(([name]) => name);
  assert.deepEqual(functions.sort(), Object.keys(calls).sort());
  await using stored = await testStore("sqlite", [callEverything]);
  const storage = await stored.open();
  await storage.commit(callEverything, null);
  for (const [sql, values] of seen) {
    const steps = (await planOf(storage.reader, sql, values)).filter((step) =>
      // The index of trigrams is walked in its order, the rows that it found as they come.
      !/^SCAN (k|\(subquery-\d+\)|key_request_search VIRTUAL TABLE INDEX)/.test(step)
    );
    assert.doesNotMatch(steps.join("\n"), /SCAN|TEMP B-TREE|AUTOMATIC/, `${sql}\n${steps}`);
  }
});

Deno.test("sqlite: each native list walks the index of its own filter", async () => {
  await using stored = await testStore("sqlite", [callEverything]);
  const { reader } = await stored.open();
  for (const [walk, index] of walks) {
    for (const newestFirst of [true, false]) {
      const own = new Map<string, SqlValue[]>();
      const db: Connection = {
        dialect: "sqlite",
        rows: (s, p) => {
          const compiled = s.compile("sqlite");
          own.set(compiled.sql, compiled.values(p));
          return reader.rows(s, p);
        },
        row: (s, p) => reader.row(s, p),
        change: (s, p) => reader.change(s, p),
      };
      await native.walkRequests(db, org_id, walk, { newestFirst, place, limit: 21 });
      for (const [sql, values] of own) {
        const [first = ""] = await planOf(reader, sql, values);
        assert.match(first, index, `${sql}\n${first}`);
      }
    }
  }
});
