/** What retention takes from the audit log is no finding, and everything else that is gone is. */
import assert from "node:assert/strict";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { purgeOld } from "../../../src/maintenance/retention/retention.transactions.ts";
import { testOnEngines } from "../../support/desk.ts";
import { behindItsBack, extra, purgedByOlder, record, rowAt, told, verify } from "./log-desk.ts";

const DAY = 24 * 60 * 60 * 1000;

testOnEngines(
  "audit log: retention cuts a first stretch, and what is left is proved on",
  async (desk) => {
    const { ctx } = desk.app;
    const { org_id } = desk;
    const now = Date.now();
    // The oldest in front, as they came.
    await ctx.storage.commit(record, { org_id, n: 230, now: now - 40 * DAY });
    await ctx.storage.commit(record, { org_id, n: 20, now: now - DAY });
    await appendAll(ctx);
    const before = new Date(now - 30 * DAY).toISOString();
    const input = { table: "audit_events" as const, org_id, before, by: "retention", now };
    assert.equal(await ctx.storage.commit(purgeOld, input), 200);
    assert.equal(await ctx.storage.commit(purgeOld, input), 30);
    assert.equal(await ctx.storage.commit(purgeOld, input), 0);
    const held = await verify(desk);
    assert.deepEqual(held.findings, []);
    assert.equal(held.verified.cut, 230);
    await appendAll(ctx);
    assert.deepEqual((await verify(desk)).findings, []);
    // So is a cut that nobody signed.
    const note = `from trail_checkpoints where org_id = '${org_id}' and size = 230`;
    await behindItsBack(desk, `create table kept as select * ${note}`, `delete ${note}`);
    const unsigned = (await verify(desk)).findings;
    assert.ok(unsigned.some(({ wrong, why }) => wrong === "removed" && /no checkpoint/.test(why)));
    await behindItsBack(
      desk,
      "insert into trail_checkpoints select * from kept",
      "drop table kept",
    );
    // A hole behind it is one, and so is a cut that nothing tells of.
    const { id } = await rowAt(desk, 232);
    await behindItsBack(desk, `delete from audit_events where id = '${id}'`);
    assert.deepEqual(told((await verify(desk)).findings), [{
      wrong: "removed",
      leaf_index: 232,
      id,
    }]);
    await behindItsBack(desk, "delete from audit_events where action = 'retention.purged'");
    const { findings } = await verify(desk);
    assert.ok(findings.some(({ leaf_index, entries }) => leaf_index === 0 && entries === 230));
  },
  { extra },
);

testOnEngines("audit log: rows that the release before has purged are no holes", async (desk) => {
  const { ctx } = desk.app;
  const { org_id } = desk;
  const now = Date.now();
  await ctx.storage.commit(record, { org_id, n: 5, now: now - 40 * DAY });
  await appendAll(ctx);
  const { id } = await rowAt(desk, 0);
  const before = new Date(now - 30 * DAY).toISOString();
  await behindItsBack(desk, `delete from audit_events where id < '${id.slice(0, 8)}~'`);
  assert.equal((await verify(desk)).findings[0]?.wrong, "removed");
  await ctx.storage.commit(purgedByOlder, { org_id, before, now });
  await appendAll(ctx);
  // A row of this release says nothing of that: anybody could write it.
  assert.equal((await verify(desk)).findings[0]?.wrong, "removed");
  const bare = `${id.slice(0, 20)}abcd`;
  await behindItsBack(
    desk,
    `insert into audit_events (org_id, id, at, actor, action, object, object_id, detail)
      values ('${org_id}', '${bare}', '${before}', 'retention', 'retention.purged', 'table',
        'audit_events', '{"rows":5,"before":"${before}"}')`,
  );
  await appendAll(ctx);
  const { findings, verified } = await verify(desk, {
    olderUntil: before,
  });
  assert.deepEqual(findings, []);
  assert.equal(verified.purgedByOlder, 5);
}, { extra });
