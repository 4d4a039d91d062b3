/**
 * The log of the audit log: what was done by the desk holds, and a log that is cut back or forks
 * does not.
 */
import assert from "node:assert/strict";
import { contentHash, withoutPersonal } from "../../../src/changes/audit-content.ts";
import { readCheckpoint } from "../../../packages/audit-log/checkpoint.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { leavesFrom } from "../../../src/maintenance/audit-log/log-reading.store.ts";
import { findLog } from "../../../src/maintenance/audit-log/logs.store.ts";
import { storeVerifiers } from "../../../src/maintenance/audit-log/verify-store.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { behindItsBack, extra, fill, logOf, record, rowAt, verify } from "./log-desk.ts";

testOnEngines("audit log: what nobody touched holds, to the newest checkpoint", async (desk) => {
  await fill(desk, 300);
  await fill(desk, 3);
  const { verified, findings } = await verify(desk);
  assert.deepEqual(findings, []);
  const log = await logOf(desk);
  assert.ok(log.size > 303);
  assert.deepEqual([verified.entries, verified.head?.size, verified.waiting], [
    log.size,
    log.size,
    0,
  ]);
  const [verifier] = await storeVerifiers(desk.app.ctx.storage.reader, desk.org_id);
  assert.ok(verifier);
  const { head, signedBy } = readCheckpoint(log.checkpoint, [verifier]);
  assert.equal(head.size, log.size);
  assert.deepEqual(signedBy, verifier);
}, { extra });

testOnEngines("audit log: rows that wait are told as such, and are no finding", async (desk) => {
  await fill(desk);
  await desk.app.ctx.storage.commit(record, { org_id: desk.org_id, n: 2, now: Date.now() });
  const { verified, findings } = await verify(desk);
  assert.deepEqual(findings, []);
  assert.equal(verified.waiting, 2);
}, { extra });

testOnEngines(
  "audit log: what names a person can be erased, and the proof stays whole",
  async (desk) => {
    await fill(desk);
    const row = await rowAt(desk, 3);
    const { personal, client_address, salts, erased } = withoutPersonal(row);
    assert.deepEqual([personal, client_address, salts], ["{}", "", "{}"]);
    assert.doesNotMatch(erased, /Jane|192\.0/);
    await behindItsBack(
      desk,
      `update audit_events set personal = '${personal}', client_address = '${client_address}',
      salts = '${salts}', erased = '${erased}' where id = '${row.id}'`,
    );
    const { findings, verified } = await verify(desk);
    // Nothing but that no row of the audit log tells of it.
    assert.deepEqual(findings.map(({ why }) => why.replace(/:.*/, "")), [
      "2 personal values are erased, and the audit log reports 0",
    ]);
    assert.equal(verified.erased, 1);
    // One of them alone, too: the other one's salt says nothing of it.
    const next = await rowAt(desk, 4);
    const some = withoutPersonal(next, ["/name"]);
    assert.equal(some.client_address, "192.0.2.7");
    assert.equal(contentHash(some), contentHash(next));
  },
  { extra },
);

testOnEngines(
  "audit log: rows from before enter at the upgrade, and their names can be erased",
  async (desk) => {
    const { org_id } = desk;
    const row = (id: string, name: string) =>
      `insert into audit_events (org_id, id, at, actor, action, object, object_id, detail, personal)
    values ('${org_id}', '${id}', '2020-01-01T00:00:00.000Z', 'u', 'person.created', 'person', 'p',
      '{"name":"${name}"}', '{}')`;
    await behindItsBack(
      desk,
      ...Array.from(
        { length: 260 },
        (_, i) => row(`5e0be100${String(i).padStart(16, "0")}`, "Jane"),
      ),
      "delete from trail_logs",
      `insert into trail_logs values ('${org_id}', 0, '', '5e0be1000000000000000259', '', '', '', 0, '')`,
      "update schema_versions set applied_at = '2026-01-01T00:00:00.000Z' where version = 21",
    );
    await appendAll(desk.app.ctx);
    const { findings, verified } = await verify(desk);
    assert.deepEqual(findings, []);
    assert.equal(verified.upgrade, 260);
    const old = await rowAt(desk, 0);
    const erased = withoutPersonal(old);
    assert.equal(erased.detail, "{}");
    assert.equal(contentHash(erased, "upgrade"), contentHash(old, "upgrade"));
    // Nothing else may be shown where it was erased.
    assert.throws(() => contentHash({ ...erased, detail: '{"name":"John"}' }, "upgrade"));
    assert.throws(() => contentHash({ ...old, erased: erased.erased }, "upgrade"));
    // What comes without a hash from then on is a server's of the release before, for a day.
    const second = (iso: string) => (Date.parse(iso) / 1000).toString(16);
    await behindItsBack(
      desk,
      row(`${second("2026-01-01T05:00:00Z")}${"0".repeat(16)}`, "rolling"),
      row(`${second("2026-03-01T05:00:00Z")}${"0".repeat(16)}`, "later"),
    );
    await appendAll(desk.app.ctx);
    const later = await verify(desk);
    assert.deepEqual(later.findings.map(({ wrong, id }) => [wrong, id.slice(0, 8)]), [
      ["inserted", second("2026-03-01T05:00:00Z")],
    ]);
    assert.equal(later.verified.older, 2);
    const allowed = await verify(desk, { olderUntil: "2026-04-01T00:00:00.000Z" });
    assert.deepEqual(allowed.findings, []);
  },
  { extra },
);

testOnEngines("audit log: another history than a head that was noted forks", async (desk) => {
  await fill(desk);
  const { checkpoint, size } = await logOf(desk);
  await fill(desk);
  assert.deepEqual((await verify(desk, { since: [checkpoint] })).findings, []);
  const noted = (await logOf(desk)).checkpoint;
  // As a store that was restored from before, and went on.
  await behindItsBack(
    desk,
    `delete from audit_events where leaf_index >= ${size} or leaf_index is null`,
    `delete from trail_leaves where leaf_index >= ${size}`,
    `delete from trail_checkpoints where size > ${size}`,
  );
  const log = await logOf(desk);
  const restored = { ...log, size, checkpoint };
  const { frontierAt } = await frontierUntil(desk, size);
  await behindItsBack(
    desk,
    `update trail_logs set size = ${size}, frontier = '${frontierAt}',
      checkpoint = '${restored.checkpoint}'`,
  );
  assert.deepEqual((await verify(desk)).findings, []);
  assert.equal((await verify(desk, { since: [noted] })).findings[0]?.wrong, "forked");
  await fill(desk, 30);
  assert.deepEqual((await verify(desk)).findings, []);
  const { findings } = await verify(desk, { since: [noted] });
  assert.deepEqual(findings.map(({ wrong }) => wrong), ["forked"]);
  assert.deepEqual((await verify(desk, { since: [checkpoint] })).findings, []);
}, { extra });

async function frontierUntil(desk: TestDesk, size: number): Promise<{ frontierAt: string }> {
  const { Frontier } = await import("../../../packages/audit-log/merkle.ts");
  const frontier = new Frontier();
  const leaves = await leavesFrom(desk.app.ctx.storage.reader, desk.org_id, 0);
  for (const { leaf_hash } of leaves.slice(0, size)) frontier.add(leaf_hash);
  return { frontierAt: frontier.toString() };
}

testOnEngines(
  "audit log: a log that is gone or was cut back is told once, and none begins over it",
  async (desk) => {
    const { ctx } = desk.app;
    await fill(desk, 300);
    const { size } = await logOf(desk);
    const backTo = async (to: number) => {
      await behindItsBack(
        desk,
        `delete from trail_leaves where leaf_index >= ${to}`,
        `delete from trail_checkpoints where size > ${to}`,
        to === 0
          ? "delete from trail_logs"
          : `update trail_logs set size = ${to}, checkpoint = '', frontier = ''`,
      );
      const { findings } = await verify(desk);
      assert.deepEqual(
        findings.map(({ wrong, leaf_index, entries }) => [wrong, leaf_index, entries]),
        [["removed", to, size - to]],
      );
      assert.match(findings[0]?.why ?? "", /log is missing or was cut back/);
      await fill(desk, 1);
      const [problem] = ctx.problems.current();
      assert.deepEqual([problem?.name, problem?.stops], ["audit_log_cut_back", "nothing"]);
      assert.ok(problem?.reason.includes(desk.org_id));
      assert.equal((await findLog(ctx.storage.reader, desk.org_id))?.size ?? 0, to);
    };
    await backTo(100);
    await backTo(0);
    assert.equal((await verify(desk)).verified.waiting, 2);
    // Said by hand, a log begins anew.
    await behindItsBack(desk, "update audit_events set leaf_index = null");
    await appendAll(ctx);
    assert.deepEqual(ctx.problems.current(), []);
    assert.deepEqual((await verify(desk)).findings, []);
  },
  { extra },
);
