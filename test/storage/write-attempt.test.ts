/** The change by which it is found out whether a store can be written to. */
import assert from "node:assert/strict";
import { attemptWrite } from "../../src/storage/write-attempt.transactions.ts";
import { noSigns, type WriteEnd } from "../../src/storage/storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { transactions } from "../../src/transactions.ts";
import { rawSql } from "./conformance/scratch.ts";
import { testOnStores } from "../support/stores.ts";

testOnStores(
  "an attempt to write is a durable commit, and leaves nothing behind",
  async (store) => {
    const ends: WriteEnd[] = [];
    const storage = await openStorage(
      store.location,
      store.keys,
      { thread: false, transactions },
      { ...noSigns, ended: (how) => void ends.push(how) },
    );
    try {
      const before = storage.log()?.bytes;
      for (let n = 1; n <= 3; n++) {
        await storage.commit(attemptWrite, { position: -n, at: "2026-01-01T00:00:00.000Z" });
      }
      assert.deepEqual(ends, ["kept", "kept", "kept"]);
      // A commit that SQLite takes for no change at all would leave the log as it was.
      if (before !== undefined) assert.ok((storage.log()?.bytes ?? 0) >= before + 3 * 4096);
      const left = rawSql<{ n: number }>("select count(*) as n from invalidations");
      assert.equal(Number((await storage.reader.row(left, {}))?.n), 0);
    } finally {
      await storage.close();
    }
  },
);
