/** Who reads much in a row, as an export does, keeps nobody else waiting for its end. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { openStorage } from "../../src/storage/open-storage.ts";
import { transactions } from "../../src/transactions.ts";
import { testOnStores } from "../support/stores.ts";
import { rawSql } from "./conformance/scratch.ts";

/** Something that takes an engine a moment. */
const page = rawSql<{ n: number }>(
  "select count(*) as n from schema_versions a, schema_versions b",
);

testOnStores(
  "three who read page after page let everybody else have turns between",
  async (store) => {
    const writer = { thread: false, transactions } as const;
    const storage = await openStorage(store.location, store.keys, writer);
    try {
      let turns = 0;
      let isOver = false;
      const others = (async () => {
        for (; !isOver; turns++) await setImmediate();
      })();
      const began = performance.now();
      let pages = 0;
      const reader = async () => {
        for (; performance.now() - began < 200; pages++) await storage.reader.row(page, {});
      };
      await Promise.all([reader(), reader(), reader()]);
      isOver = true;
      await others;
      // One for each slice, and never less than a fifth of them, however busy the machine is.
      assert.ok(turns >= 10 || turns >= pages, `${turns} turns beside ${pages} pages`);
    } finally {
      await storage.close();
    }
  },
);
