/**
 * What every engine holds about transactions. A new engine joins `storeEngines` and passes this
 * folder.
 */
import assert from "node:assert/strict";
import { Failure } from "../../../src/kernel/failure.ts";
import { defineTransaction, type Storage } from "../../../src/storage/storage.ts";
import { testOnStores, testStore } from "../../support/stores.ts";
import {
  addOne,
  claimScratch,
  counterValue,
  insertScratch,
  leaveBehind,
  scratchRows,
  scratchTransactions,
  sendScratch,
} from "./scratch.ts";

const org_id = "org";
const rowsOf = (...ids: string[]) => ids.map((id) => ({ org_id, id, name: id }));

testOnStores("a transaction that fails leaves nothing, and its neighbours stay", async (store) => {
  const storage = await store.open();
  const before = storage.stats();
  // Submitted together: on SQLite they share one durable group.
  const results = await Promise.allSettled([
    storage.commit(insertScratch, { rows: rowsOf("a", "b") }),
    storage.commit(insertScratch, { rows: rowsOf("c", "d"), then: "refuse" }),
    storage.commit(insertScratch, { rows: rowsOf("e") }),
    storage.commit(insertScratch, { rows: rowsOf("f"), then: "break" }),
    storage.commit(insertScratch, { rows: rowsOf("g", "g") }),
    storage.commit(insertScratch, { rows: rowsOf("h") }),
  ]);
  const after = storage.stats();

  assert.deepEqual(results.map((r) => r.status), [
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ]);
  const refused = results[1];
  assert.ok(refused?.status === "rejected" && refused.reason instanceof Failure);
  assert.equal(refused.reason.code, "already_processed");
  const rows = await storage.reader.rows(scratchRows, { org_id });
  assert.deepEqual(rows.map((row) => row.id), ["a", "b", "e", "h"]);
  assert.equal(after.commits - before.commits, 3);
  if (store.engine === "sqlite") assert.equal(after.flushes - before.flushes, 1);
}, scratchTransactions);

testOnStores("a failed transaction leaves its connection usable for the next", async (store) => {
  const storage = await store.open();
  for (let turn = 0; turn < 40; turn++) {
    const failing = storage.commit(insertScratch, { rows: rowsOf("x"), then: "break" });
    await assert.rejects(failing);
  }
  assert.equal(await storage.commit(insertScratch, { rows: rowsOf("x") }), 1);
}, scratchTransactions);

testOnStores("what is sent counts like what is waited for: all of it or nothing", async (store) => {
  const storage = await store.open();
  const ids = async () =>
    (await storage.reader.rows(scratchRows, { org_id })).map((row) => row.id).join();
  assert.equal(await storage.commit(sendScratch, { rows: rowsOf("a", "b"), then: "read" }), 2);
  assert.equal(await storage.commit(sendScratch, { rows: rowsOf("c", "d") }), 0);
  assert.equal(await ids(), "a,b,c,d");
  // Nobody waits for the second "e"; a later statement, or the commit, fails with its error.
  for (const then of [{}, { then: "read" as const }, { then: "refuse" as const }]) {
    await assert.rejects(storage.commit(sendScratch, { rows: rowsOf("e", "e", "f"), ...then }));
    assert.equal(await ids(), "a,b,c,d");
  }
  const refused = storage.commit(sendScratch, { rows: rowsOf("g"), then: "refuse" });
  await assert.rejects(refused, Failure);
  assert.equal(await ids(), "a,b,c,d");
  // The connections are usable.
  for (let turn = 0; turn < 40; turn++) {
    await storage.commit(sendScratch, { rows: rowsOf(`turn-${turn}`) });
  }
  assert.equal((await storage.reader.rows(scratchRows, { org_id })).length, 44);
}, scratchTransactions);

Deno.test({
  name: "postgres: a transaction that has failed writes no more, whatever of it still goes on",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using store = await testStore("postgres", scratchTransactions);
    const storage = await store.open();
    for (let turn = 0; turn < 20; turn++) {
      const [row] = rowsOf(`left-${turn}`);
      assert.ok(row);
      await assert.rejects(storage.commit(leaveBehind, row), Failure);
    }
    await storage.commit(insertScratch, { rows: rowsOf("last") });
    const rows = await storage.reader.rows(scratchRows, { org_id });
    assert.deepEqual(rows.map((row) => row.id), ["last"]);
  },
});

testOnStores("of many that insert one id, one gets it", async (store) => {
  const openers = [await store.open(), await store.open(), await store.open()];
  const attempts = Array.from({ length: 60 }, (_, i) => {
    const storage = openers[i % openers.length] ?? openers[0];
    return storage?.commit(insertScratch, { rows: [{ org_id, id: "same", name: `n${i}` }] });
  });
  const results = await Promise.allSettled(attempts);
  assert.equal(results.filter((r) => r.status === "fulfilled").length, 1);
  const [reader] = openers;
  assert.equal((await reader?.reader.rows(scratchRows, { org_id }))?.length, 1);
}, scratchTransactions);

testOnStores("a compare-and-set succeeds for one of many writers", async (store) => {
  const openers = [await store.open(), await store.open(), await store.open()];
  const ids = Array.from({ length: 25 }, (_, i) => `r${i}`);
  await openers[0]?.commit(insertScratch, { rows: rowsOf(...ids) });
  const winners = new Map<string, string[]>();
  const claim = async (id: string, opener: number) => {
    const by = `${opener}`;
    if (await openers[opener % 3]?.commit(claimScratch, { org_id, id, by })) {
      winners.set(id, [...winners.get(id) ?? [], by]);
    }
  };
  await Promise.all(
    Array.from({ length: 12 }, (_, opener) => ids.map((id) => claim(id, opener))).flat(),
  );
  for (const row of await openers[0]?.reader.rows(scratchRows, { org_id }) ?? []) {
    assert.deepEqual(winners.get(row.id), [row.document]);
  }
  assert.equal(winners.size, ids.length);
}, scratchTransactions);

testOnStores("no increment of many writers is lost", async (store) => {
  const openers = [await store.open(), await store.open(), await store.open()];
  await Promise.all(
    Array.from({ length: 300 }, (_, i) => openers[i % 3]?.commit(addOne, { org_id })),
  );
  const row = await openers[0]?.reader.row(counterValue, { org_id });
  assert.strictEqual(row?.n, 300);
}, scratchTransactions);

testOnStores("what was acknowledged is there for every reader", async (store) => {
  const writer = await store.open();
  const other = await store.open();
  for (let n = 1; n <= 60; n++) {
    await writer.commit(insertScratch, { rows: rowsOf(`r${n}`) });
    const seen = await Promise.all(
      [writer, other].map((s) => s.reader.rows(scratchRows, { org_id })),
    );
    assert.deepEqual(seen.map((rows) => rows.length), [n, n]);
  }
}, scratchTransactions);

// A gate that the test opens: the transaction waits in its middle, its row written and not
// committed.
const gates = new Map<string, { written(): void; open: Promise<void> }>();
const insertAtGate = defineTransaction("test.insert-at-gate", async (tx, gate: string) => {
  await insertScratch.run(tx, { rows: rowsOf("half") });
  gates.get(gate)?.written();
  await gates.get(gate)?.open;
  await insertScratch.run(tx, { rows: rowsOf("other-half") });
});

testOnStores("nobody sees what is not committed yet", async (store) => {
  const storage = await store.open();
  const other = await store.open();
  const written = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const name = crypto.randomUUID();
  gates.set(name, { written: written.resolve, open: gate.promise });

  const committing = storage.commit(insertAtGate, name);
  await written.promise;
  for (const { reader } of [storage, other]) {
    assert.deepEqual(await reader.rows(scratchRows, { org_id }), []);
  }
  gate.resolve();
  await committing;
  for (const { reader } of [storage, other]) {
    const rows = await reader.rows(scratchRows, { org_id });
    assert.deepEqual(rows.map((row) => row.id), ["half", "other-half"]);
  }
}, [insertAtGate]);

let outside: Storage | undefined;
const readAround = defineTransaction("test.read-around", async (tx, _: null) => {
  await insertScratch.run(tx, { rows: rowsOf("own") });
  return {
    inside: (await tx.rows(scratchRows, { org_id })).length,
    outside: (await outside?.reader.rows(scratchRows, { org_id }))?.length,
  };
});

testOnStores(
  "a transaction reads what it wrote, the reader used inside it does not",
  async (store) => {
    outside = await store.open();
    assert.deepEqual(await outside.commit(readAround, null), { inside: 1, outside: 0 });
    assert.equal((await outside.reader.rows(scratchRows, { org_id })).length, 1);
  },
  [readAround],
);

testOnStores("close finishes what was accepted and then refuses", async (store) => {
  const storage = await store.open();
  const accepted = Array.from(
    { length: 100 },
    (_, i) => storage.commit(insertScratch, { rows: rowsOf(`r${i}`) }),
  );
  await storage.close();
  await Promise.all(accepted);
  await assert.rejects(storage.commit(insertScratch, { rows: rowsOf("late") }));
  const again = await store.open();
  assert.equal((await again.reader.rows(scratchRows, { org_id })).length, 100);
}, scratchTransactions);
