/** What the books say of invalidations, with clocks that differ. */
import assert from "node:assert/strict";
import { invalidate } from "../../../src/changes/invalidation.ts";
import { recordAudit } from "../../../src/changes/audit.ts";
import { locationOf } from "../../../src/open-server.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { testOnEngines } from "../../support/desk.ts";
import { booksOf } from "./books.ts";

const HOUR_MS = 60 * 60 * 1000;

const told = defineTransaction(
  "test.invalidated",
  async (tx, { org_id, now }: { org_id: string; now: number }) => {
    const event = { action: "thing.changed", object: "thing", object_id: "a" };
    await recordAudit(tx, { org_id, user_id: "u", token_id: "t", now }, event);
    await invalidate(tx, { org_id, kind: "key", object_id: "a", now });
  },
);

testOnEngines("books: a lost invalidation is found, and a purged one is none", async (desk) => {
  const { org_id, app: { ctx: { storage } } } = desk;
  const now = Date.now();
  const tell = async (...hours: number[]) => {
    for (const hour of hours) {
      await storage.commit(told, { org_id, now: now + hour * HOUR_MS });
    }
  };
  const remove = async (row: number) => {
    const session = await openSession(locationOf(desk.config));
    await session.exec(
      `delete from invalidations where position = (select max(position) - ${row} from invalidations)`,
    );
    await session.close();
  };
  await tell(0, 0, 0);
  assert.deepEqual(await booksOf(storage.reader), []);
  await remove(1);
  assert.match((await booksOf(storage.reader)).join(), /invalidations: none before/);
  // Between the rows of two clocks that are ahead, the one of a clock that is right is purged.
  await tell(2, 1, 2);
  assert.deepEqual(await booksOf(storage.reader), []);
  await remove(0);
  assert.match((await booksOf(storage.reader)).join(), /invalidations' end/);
}, { extra: [told] });
