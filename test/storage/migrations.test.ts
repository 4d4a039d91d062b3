import assert from "node:assert/strict";
import { SchemaTooNew, SchemaTooOld } from "../../src/storage/schema-errors.ts";
import { versionTableSql } from "../../src/storage/migrate.ts";
import { CHECKSUMS_DEMANDED, migrations } from "../../src/storage/migrations/list.ts";
import { statement } from "../../src/storage/statement.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import { shortOr } from "../support/effort.ts";
import { emptyStore, runSql, type StoreEngine, testOnStores } from "../support/stores.ts";
import { insertScratch, scratchRows } from "./conformance/scratch.ts";

const versionsSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select(["version", "name", "oldest_code"]).orderBy("version")
);

const insertVersionSql = statement<{ version: number; oldest_code: number }>()((db, p) =>
  db.insertInto("schema_versions").values({
    version: p.version,
    name: "of a later release",
    oldest_code: p.oldest_code,
    applied_at: "2030-01-01T00:00:00.000Z",
  })
);

/** What a later release's migration would leave behind. */
const recordLaterRelease = defineTransaction(
  "test.record-later-release",
  (tx, input: { version: number; oldest_code: number }) => tx.change(insertVersionSql, input),
);

const newestVersion = migrations.at(-1)?.version ?? 0;
const ours = migrations.map(({ version, name, oldestCode }) => ({
  version,
  name,
  // A new store demands checksums, which earlier code does not write.
  oldest_code: version === newestVersion ? Math.max(oldestCode, CHECKSUMS_DEMANDED) : oldestCode,
}));
const newest = migrations.at(-1)?.version ?? 0;

Deno.test("migrations stand in the order of their numbers, and need no code newer than themselves", () => {
  const numbers = migrations.map(({ version }) => version);
  assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b));
  for (const { version, oldestCode } of migrations) assert.ok(oldestCode <= version);
});

testOnStores("opening again migrates nothing and keeps everything", async (store) => {
  const first = await store.open();
  const rows = [{ org_id: "org", id: "kept", name: "kept" }];
  await first.commit(insertScratch, { rows });
  await first.close();
  for (let turn = 0; turn < 3; turn++) {
    const again = await store.open();
    assert.deepEqual(await again.reader.rows(versionsSql, {}), ours);
    assert.equal((await again.reader.rows(scratchRows, { org_id: "org" })).length, 1);
    await again.close();
  }
}, [insertScratch]);

Deno.test({
  name: "openers on several threads that meet on an empty store migrate it once",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const threads = Array.from({ length: 6 }, startOpener);
    try {
      assert.deepEqual(await Promise.all(threads.map(nextMessage)), threads.map(() => "ready"));
      const rounds: StoreEngine[] = [
        ...Array<StoreEngine>(shortOr(20, 100)).fill("sqlite"),
        "postgres",
        "postgres",
      ];
      for (const engine of rounds) {
        await using store = await emptyStore(engine);
        const answers = threads.map(nextMessage);
        for (const thread of threads) {
          thread.postMessage({ location: store.location, keys: store.keys });
        }
        assert.deepEqual(await Promise.all(answers), threads.map(() => "opened"), engine);
        const { reader } = await store.open();
        assert.deepEqual(await reader.rows(versionsSql, {}), ours);
      }
    } finally {
      for (const thread of threads) thread.terminate();
    }
  },
});

testOnStores(
  "a schema that has left this code behind is refused and not touched",
  async (store) => {
    const storage = await store.open();
    const later = { version: newest + 5, oldest_code: newest + 1 };
    await storage.commit(recordLaterRelease, later);
    await assert.rejects(store.open(), SchemaTooNew);
    assert.equal((await storage.reader.rows(versionsSql, {})).length, ours.length + 1);
  },
  [recordLaterRelease],
);

for (const engine of ["sqlite", "postgres"] as const) {
  Deno.test({
    name: `${engine}: a schema from before the first step is refused by its number and not touched`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using store = await emptyStore(engine);
      const row = "(11, 'developers', 10, '2026-01-01T00:00:00.000Z')";
      await runSql(store.location, [
        versionTableSql(engine),
        `insert into schema_versions (version, name, oldest_code, applied_at) values ${row}`,
      ]);
      for (const _ of [1, 2]) {
        await assert.rejects(store.open(), (error) => {
          assert.ok(error instanceof SchemaTooOld);
          assert.match(error.message, /has schema 11; the oldest that this release opens is 12$/);
          return true;
        });
      }
    },
  });
}

testOnStores("a newer schema that still serves this code is opened as it is", async (store) => {
  const storage = await store.open();
  await storage.commit(recordLaterRelease, { version: newest + 1, oldest_code: newest });
  await storage.close();
  const again = await store.open();
  assert.deepEqual((await again.reader.rows(versionsSql, {})).map((v) => v.version), [
    ...ours.map((v) => v.version),
    newest + 1,
  ]);
}, [recordLaterRelease]);

function startOpener(): Worker {
  return new Worker(new URL("../support/opener-thread.ts", import.meta.url), { type: "module" });
}

function nextMessage(thread: Worker): Promise<unknown> {
  return new Promise((resolve) => {
    thread.addEventListener("message", ({ data }) => resolve(data), { once: true });
  });
}
