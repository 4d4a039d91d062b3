/**
 * SQLite ends a transaction by itself after some errors, such as a read that fails: nothing more
 * may be written then.
 */
import assert from "node:assert/strict";
import { openSession } from "../../src/storage/open-session.ts";
import { locationOf } from "../../src/open-server.ts";
import { statement } from "../../src/storage/statement.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import { openTestDesk } from "../support/desk.ts";

const insertSql = statement<{ position: number; org_id: string }>()((db, p) =>
  db.insertInto("invalidations").values({
    position: p.position,
    org_id: p.org_id,
    kind: "key",
    object_id: "",
    at: "",
  })
);

/** Writes, meets an error that ends the transaction and does not heed it, and writes again. */
const heedless = defineTransaction("test.heedless", async (tx, input: { from: number }) => {
  await tx.change(insertSql, { position: input.from, org_id: "before" });
  await tx.change(insertSql, { position: input.from - 1, org_id: "ends" }).catch(() => {});
  await tx.change(insertSql, { position: input.from - 2, org_id: "after" }).catch(() => {});
  return null;
});

const plain = defineTransaction("test.plain", async (tx, input: { position: number }) => {
  await tx.change(insertSql, { position: input.position, org_id: "plain" });
  return null;
});

const negativeSql = statement<object>()((db) =>
  db.selectFrom("invalidations").select(["position", "org_id"])
    .where("position", "<", 0).orderBy("position", "desc")
);

Deno.test("ended transaction: nothing of it is kept, alone or beside others", async () => {
  await using desk = await openTestDesk("sqlite", { extra: [heedless, plain] });
  const { storage } = desk.app.ctx;
  const session = await openSession(locationOf(desk.config));
  try {
    await session.exec(
      `create trigger ends before insert on invalidations when new.org_id = 'ends'
       begin select raise(rollback, 'ended'); end`,
    );
    await assert.rejects(storage.commit(heedless, { from: -100 }));
    const outcomes = await Promise.allSettled([
      storage.commit(plain, { position: -200 }),
      storage.commit(heedless, { from: -300 }),
      storage.commit(plain, { position: -400 }),
    ]);
    assert.equal(outcomes[1]?.status, "rejected");
    await storage.commit(plain, { position: -500 });
    const rows = await session.rows(negativeSql, {});
    const kept = [-200, -400].filter((_, i) => outcomes[i * 2]?.status === "fulfilled");
    assert.deepEqual(
      rows.map(({ position, org_id }) => [Number(position), org_id]),
      [...kept, -500].map((position) => [position, "plain"]),
    );
  } finally {
    await session.close();
  }
});
