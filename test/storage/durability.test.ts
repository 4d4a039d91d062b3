import assert from "node:assert/strict";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import { testStore } from "../support/stores.ts";
import { insertScratch, rawSql } from "./conformance/scratch.ts";

const pragma = (name: string) => rawSql<Record<string, unknown>>(`pragma ${name}`);

/** What the writer's own connection says of itself, in the middle of a transaction. */
const askWriter = defineTransaction("test.ask-writer", async (tx, _: null) => ({
  ...await tx.row(pragma("synchronous"), {}),
  ...await tx.row(pragma("journal_mode"), {}),
  ...await tx.row(pragma("foreign_keys"), {}),
}));

Deno.test("sqlite: the writer's connection flushes each commit of a write-ahead log", async () => {
  await using store = await testStore("sqlite", [askWriter]);
  const storage = await store.open();
  // 2 is FULL: the log is flushed before a commit returns.
  const expected = { synchronous: 2, journal_mode: "wal", foreign_keys: 1 };
  assert.deepEqual(await storage.commit(askWriter, null), expected);
});

Deno.test("sqlite: a place that can't keep a write-ahead log is refused", () => {
  assert.throws(() => SqliteConnection.openWriter(":memory:"), /journal_mode=memory/);
});

Deno.test("sqlite: the reader's connection can't write", async () => {
  await using store = await testStore("sqlite");
  const { reader } = await store.open();
  await assert.rejects(reader.change(rawSql("delete from organisations"), {}), /readonly/);
});

Deno.test("sqlite: every acknowledged commit is in a flushed group, and groups share flushes", async () => {
  await using store = await testStore("sqlite", [insertScratch]);
  const storage = await store.open();
  const before = storage.stats();
  let acknowledged = 0;
  for (let round = 0; round < 20; round++) {
    const size = 1 + round * 5;
    await Promise.all(Array.from({ length: size }, async (_, i) => {
      const id = `${round}-${i}`;
      await storage.commit(insertScratch, { rows: [{ org_id: "org", id, name: id }] });
      acknowledged++;
      // At this very moment: a commit that was answered before it was counted would show here.
      assert.ok(storage.stats().commits - before.commits >= acknowledged);
      assert.ok(storage.stats().flushes > before.flushes);
    }));
  }
  const { commits, flushes } = storage.stats();
  assert.equal(commits - before.commits, acknowledged);
  const groups = flushes - before.flushes;
  assert.ok(groups >= 20 && groups <= 45, `${groups} flushes for ${acknowledged} commits`);
});

Deno.test("sqlite: a group in which nothing is kept acknowledges nothing", async () => {
  await using store = await testStore("sqlite", [insertScratch]);
  const storage = await store.open();
  const before = storage.stats();
  const rows = [{ org_id: "org", id: "a", name: "a" }];
  await assert.rejects(storage.commit(insertScratch, { rows, then: "refuse" }));
  assert.deepEqual(storage.stats(), before);
});
