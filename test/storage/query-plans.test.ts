import assert from "node:assert/strict";
import * as store from "../../src/key-requests/key-requests.store.ts";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import {
  type CompiledStatement,
  type SqlValue,
  type Statement,
} from "../../src/storage/statement.ts";
import { type Connection, defineTransaction, type Tx } from "../../src/storage/storage.ts";
import { testStore } from "../support/stores.ts";

const org_id = "org";
const row: store.KeyRequestRow = {
  org_id,
  id: "id",
  state: "pending",
  approved: 0,
  by_user: "dev",
  instant: "2026-01-01T00:00:00.000000000Z",
  for_plan: "plan",
  head: "{",
  tail: "}",
  sent_developer: null,
  sent_entry: null,
  sent_catalogues: "",
  secrets: null,
};
const views = Object.keys(store.listViews) as store.ListView[];
const page = { before: "~", skip: 3 };

/** A call of every function that the store exports; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  findShown: (tx) => store.findShown(tx, org_id, "id"),
  pageOfRequests: (tx) => each(views, (view) => store.pageOfRequests(tx, org_id, view, page, 10)),
  firstPage: (tx) => each(views, (view) => store.firstPage(tx, org_id, view, 10)),
  requestsAfter: (tx) => each(views, (view) => store.requestsAfter(tx, org_id, view, row, 10)),
  lockRequest: (tx) => store.lockRequest(tx, org_id, "id"),
  findSentEntries: (tx) => store.findSentEntries(tx, org_id, "id"),
  insertRequest: (tx) => store.insertRequest(tx, row),
  replaceRequest: (tx) => store.replaceRequest(tx, { ...row, approved: 1 }, row),
  markIssued: (tx) =>
    store.markIssued(tx, { ...row, approved: 1 }, { at: row.instant, by: "user" }),
  removeRequest: (tx) => store.removeRequest(tx, org_id, "id"),
};

async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (const item of items) await work(item);
}

/** Passes statements on and remembers how each was compiled, and its values. */
function recording(tx: Tx, seen: Map<string, SqlValue[]>): Tx {
  const note = <P extends object>(
    statement: Statement<P, unknown>,
    params: P,
  ): CompiledStatement => {
    const compiled = statement.compile(tx.dialect);
    seen.set(compiled.sql, compiled.values(params));
    return compiled;
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

const seen = new Map<string, SqlValue[]>();
const callEverything = defineTransaction("test.call-everything", async (tx, _: null) => {
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

Deno.test("sqlite: every statement on key requests finds its rows by an index, in their order", async () => {
  const functions = Object.entries(store).filter(([name, value]) =>
    // Part of statements, and none itself.
    typeof value === "function" && name !== "selectShown"
  );
  assert.deepEqual(functions.map(([name]) => name).sort(), Object.keys(calls).sort());

  await using place = await testStore("sqlite", [callEverything]);
  const storage = await place.open();
  await storage.commit(callEverything, null);
  const connection = SqliteConnection.openReader(
    "path" in place.location ? place.location.path : "",
  );
  try {
    const statements = [...seen].filter(([sql]) => sql.includes("key_requests"));
    // The four lists twice, and one each to find, lock, insert, replace, mark and remove.
    assert.ok(statements.length >= 2 * views.length + 6, `${statements.length} statements`);
    for (const [sql, values] of statements) {
      // "SCAN page" walks the ten rows that the inner query found.
      const plan = (await planOf(connection, sql, values))
        .filter((step) => step !== "SCAN page").join("\n");
      assert.doesNotMatch(plan, /SCAN|TEMP B-TREE|AUTOMATIC/, `${sql}\n${plan}`);
      if (/^(select|update|delete)/.test(sql)) {
        const search = /SEARCH (?:r|key_requests) USING (?:COVERING )?INDEX \w+ \((.*)\)/.exec(
          plan,
        );
        assert.match(search?.[1] ?? plan, /^org_id=\? AND /, `${sql}\n${plan}`);
      }
    }
  } finally {
    connection.close();
  }
});

Deno.test("sqlite: the lists walk the index of their own filter", async () => {
  await using place = await testStore("sqlite", [callEverything]);
  const storage = await place.open();
  await storage.commit(callEverything, null);
  const index = {
    all: "newest",
    approved: "approved",
    unapproved: "approved",
    declined: "declined",
  };
  for (const view of views) {
    const own = new Map<string, SqlValue[]>();
    const reader: Connection = {
      dialect: "sqlite",
      rows: (s, p) => {
        const compiled = s.compile("sqlite");
        own.set(compiled.sql, compiled.values(p));
        return storage.reader.rows(s, p);
      },
      row: (s, p) => storage.reader.row(s, p),
      change: (s, p) => storage.reader.change(s, p),
    };
    await store.pageOfRequests(reader, org_id, view, page, 10);
    await store.requestsAfter(reader, org_id, view, row, 10);
    assert.equal(own.size, 2);
    for (const [sql, values] of own) {
      const [first = ""] = (await planOf(storage.reader, sql, values))
        .filter((step) => step.startsWith("SEARCH"));
      assert.match(first, new RegExp(`INDEX key_requests_${index[view]} `), sql);
      assert.match(first, /instant/, `${sql}: the place is found by the index`);
    }
  }
});
