/**
 * Who appends: any number of nodes at once, none of which takes a row in twice or leaves one out.
 */
import assert from "node:assert/strict";
import { recordAudit } from "../../../src/changes/audit.ts";
import { Failure } from "../../../src/kernel/failure.ts";
import { appendToAuditLog } from "../../../src/maintenance/audit-log/append.transactions.ts";
import { appendAll, startAppender } from "../../../src/maintenance/audit-log/appender.ts";
import { leavesFrom } from "../../../src/maintenance/audit-log/log-reading.store.ts";
import * as reading from "../../../src/maintenance/audit-log/log-reading.store.ts";
import { newAuditLogKey } from "../../../src/maintenance/audit-log/signing-key.ts";
import * as store from "../../../src/maintenance/audit-log/logs.store.ts";
import { verifyStore } from "../../../src/maintenance/audit-log/verify-store.ts";
import { locationOf } from "../../../src/open-server.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { plansOf } from "../../support/query-plans.ts";

const record = defineTransaction(
  "test.record",
  async (tx, input: { org_id: string; n: number }) => {
    const actor = { org_id: input.org_id, user_id: "u", token_id: "t", now: Date.now() };
    for (let i = 0; i < input.n; i++) {
      await recordAudit(tx, actor, { action: "thing.changed", object: "thing", object_id: `${i}` });
    }
  },
);
const extra = [record];

testOnEngines(
  "audit log: nodes that append at once, beside changes, take each row in once",
  async (desk) => {
    const { ctx } = desk.app;
    const { org_id } = desk;
    const { storage, sealer } = ctx;
    let writing = true;
    const writers = Array.from({ length: 6 }, async () => {
      for (let i = 0; i < 20; i++) await storage.commit(record, { org_id, n: 3 });
    });
    const nodes = ["a", "b", "c"].map(async (holder) => {
      const newKey = newAuditLogKey(sealer);
      while (writing) {
        // Without a lease, so that they meet.
        await storage.commit(appendToAuditLog, {
          org_id,
          holder,
          leaseMs: 0,
          newKey,
          now: ctx.clock.now(),
        });
      }
    });
    await Promise.all(writers);
    writing = false;
    await Promise.all(nodes);
    await appendAll(ctx);
    const { verified, findings } = await verifyStore(ctx, org_id, {});
    assert.deepEqual(findings, []);
    assert.ok(verified.entries >= 360 && verified.waiting === 0);
    assert.equal(verified.head?.size, verified.size);
    assert.equal(
      (await store.auditLogKeys(storage.reader)).length,
      1,
      "one key, whoever came first",
    );
    const seen = new Set<string>();
    for (let next = 0; next < verified.size;) {
      const leaves = await leavesFrom(storage.reader, org_id, next);
      for (const { leaf_index, event_id } of leaves) {
        assert.equal(leaf_index, next++);
        seen.add(event_id);
      }
    }
    assert.equal(seen.size, verified.size);
  },
  { extra },
);

testOnEngines(
  "audit log: who has the lease appends, and another one after its end",
  async (desk) => {
    const { ctx } = desk.app;
    const { org_id } = desk;
    const newKey = newAuditLogKey(ctx.sealer);
    const now = Date.parse("2026-05-01T00:00:00Z");
    const append = (holder: string, at: number) =>
      ctx.storage.commit(appendToAuditLog, { org_id, holder, leaseMs: 5000, newKey, now: at });
    assert.equal((await append("a", now)).leased, true);
    await ctx.storage.commit(record, { org_id, n: 2 });
    assert.deepEqual(await append("b", now + 4000), { leased: false, rows: 0, signed: true });
    assert.equal((await append("a", now + 4000)).rows, 2);
    await ctx.storage.commit(record, { org_id, n: 1 });
    assert.equal((await append("b", now + 8000)).leased, false);
    assert.equal((await append("b", now + 9001)).rows, 1);
  },
  { extra },
);

testOnEngines("audit log: a server takes in what is committed, by itself", async (desk) => {
  const { ctx } = desk.app;
  const appender = startAppender(ctx);
  try {
    await ctx.storage.commit(record, { org_id: desk.org_id, n: 300 });
    const waits = () => store.waitingOrganisation(ctx.storage.reader, { behind: "" });
    await eventually("no organisation's rows wait", async () => await waits() === undefined);
  } finally {
    appender.stop();
  }
}, { extra });

testOnEngines(
  "audit log: one log that can't go on holds up no other, and is told",
  async (desk) => {
    const { ctx } = desk.app;
    const { org_id } = desk;
    await appendAll(ctx);
    const { size } = await store.findLog(ctx.storage.reader, org_id) ?? { size: 0 };
    const session = await openSession(locationOf(desk.config));
    try {
      await session.exec(
        `insert into trail_leaves values ('${org_id}', ${size}, 'x', 'written', '00')`,
      );
      const other = "f".repeat(24);
      await ctx.storage.commit(record, { org_id, n: 2 });
      await ctx.storage.commit(record, { org_id: other, n: 2 });
      await appendAll(ctx);
      assert.equal((await store.findLog(ctx.storage.reader, other))?.size, 2);
      const [problem] = ctx.problems.current();
      assert.deepEqual([problem?.name, problem?.stops], ["audit_log_stuck", "nothing"]);
      assert.match(problem?.reason ?? "", new RegExp(org_id));
      // Who verifies later reads that rows have waited for long.
      const later = { ...ctx, clock: { now: () => ctx.clock.now() + 600_000 } };
      assert.equal((await verifyStore(later, org_id, {})).verified.waitingLong, 2);
      assert.equal((await verifyStore(ctx, org_id, {})).verified.waitingLong, 0);
      await session.exec("delete from trail_leaves where event_id = 'x'");
      await appendAll(ctx);
      assert.deepEqual(ctx.problems.current(), []);
      assert.deepEqual((await verifyStore(ctx, org_id, {})).findings, []);
    } finally {
      await session.close();
    }
  },
  { extra },
);

testOnEngines("audit log: a store that is away is no problem of any log", async (desk) => {
  const { ctx } = desk.app;
  const { org_id } = desk;
  await appendAll(ctx);
  await ctx.storage.commit(record, { org_id, n: 2 });
  const away = new Failure("unavailable");
  const storage = {
    ...ctx.storage,
    reader: ctx.storage.reader,
    commit: () => Promise.reject(away),
  };
  await assert.rejects(appendAll({ ...ctx, storage }), away);
  assert.deepEqual(ctx.problems.current(), []);
  await appendAll(ctx);
  assert.deepEqual((await verifyStore(ctx, org_id, {})).findings, []);
}, { extra });

Deno.test("sqlite: every statement of the log finds its rows by an index, in their order", async () => {
  const planned = await plansOf(async (tx) => {
    await store.waitingOrganisation(tx, { behind: "" });
    await store.waitingRows(tx, "o");
    await store.waitingEvents(tx, "o", "");
    await store.findLog(tx, "o");
    await store.placeBeforeWaiting(tx, "o");
    const entry = { id: "a", leaf_index: 0, kind: "written" as const, leaf_hash: "" };
    await store.addEntries(tx, "o", [entry]);
    await store.firstOldLeaves(tx, "o", { from: 0, before: "a" });
    await store.removeBefore(tx, { org_id: "o", to: 1 });
    await reading.leavesFrom(tx, "o", 0);
    await reading.placedRows(tx, "o", "");
    await reading.auditLogOrganisations(tx);
    await reading.isOrganisation(tx, { org_id: "o" });
    await reading.keptCheckpoints(tx, "o", 0);
    await reading.rowsOf(tx, "o", [{ ...entry, event_id: "a" }]);
  });
  assert.ok(planned.length >= 12);
  for (const { sql, plan, steps } of planned) {
    const found = steps.filter((step) => !/LIST SUBQUERY|SCAN json_each/.test(step)).join("\n");
    assert.doesNotMatch(found, /SCAN|TEMP B-TREE|AUTOMATIC/, `${sql}\n${plan}`);
    // Never the whole audit log of an organisation.
    assert.doesNotMatch(found, /audit_events USING .*\(org_id=\?\)$/m, `${sql}\n${plan}`);
  }
});
