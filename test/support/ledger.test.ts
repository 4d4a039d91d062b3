import { sql } from "kysely";
import assert from "node:assert/strict";
import { approve } from "../../src/features/key-requests/key-requests.operations.ts";
import { create } from "../../src/features/key-requests/key-requests.service.ts";
import { newSealingKey, parseSealingKeys } from "../../src/kernel/sealing/sealing-keys.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { statement } from "../../src/storage/statement.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import { withDesks } from "./desks.ts";
import { readLedger } from "./ledger.ts";

type Nothing = Record<never, never>;

/** Each of these makes the books disagree in one place. */
const damages = {
  "a key lost": statement<Nothing>()((db) => db.deleteFrom("credentials")),
  "an issued request that is pending again": statement<Nothing>()((db) =>
    db.updateTable("key_requests").set({ state: "pending" })
  ),
  "a request lost": statement<Nothing>()((db) => db.deleteFrom("key_requests")),
  "an audit row lost": statement<Nothing>()((db) =>
    db.deleteFrom("audit_events").where("action", "=", sql.lit("key_request.created"))
  ),
  "an outbox row lost": statement<Nothing>()((db) =>
    db.deleteFrom("outbox_events").where("topic", "=", sql.lit("key_request.approved"))
  ),
  "a developer's maps emptied": statement<Nothing>()((db) =>
    db.updateTable("developers").set({ document: sql.lit('{"keys":{},"subscriptions":{}}') })
  ),
  "a developer lost": statement<Nothing>()((db) => db.deleteFrom("developers")),
  "a counter off by one": statement<Nothing>()((db) =>
    db.updateTable("list_counts").set({ n: sql`n + 1` }).where("level", "=", sql.lit(3))
  ),
};

for (const [name, damage] of Object.entries(damages)) {
  Deno.test(`the ledger notices ${name}`, () =>
    withDesks("sqlite", 1, async ([desk]) => {
      assert.ok(desk);
      const id = await create(desk, { by_user: "dev", for_plan: "plan" });
      await approve(desk, id, null);
      const { keysOf } = await readLedger(desk.storage.reader);
      assert.equal(keysOf.get(id)?.length, 1);

      const spoil = defineTransaction("test.spoil", (tx, _: null) => tx.change(damage, {}));
      const keys = parseSealingKeys(newSealingKey());
      const writer = { thread: false as const, transactions: [spoil] };
      const storage = await openStorage({ path: desk.databaseFile }, keys, writer);
      assert.notEqual(await storage.commit(spoil, null), 0);
      await storage.close();
      await assert.rejects(readLedger(desk.storage.reader), assert.AssertionError);
    }));
}
