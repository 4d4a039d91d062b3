/** Who rewrites the log itself, its checkpoints or its keys behind Keydesk's back is found. */
import assert from "node:assert/strict";
import { contentHash, withoutPersonal } from "../../../src/changes/audit-content.ts";
import {
  newSigningKey,
  readCheckpoint,
  signCheckpoint,
} from "../../../packages/audit-log/checkpoint.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { eraseAuditLog } from "../../../src/maintenance/audit-log/erase.ts";
import { auditLogOrganisations } from "../../../src/maintenance/audit-log/log-reading.store.ts";
import { auditLogKeys } from "../../../src/maintenance/audit-log/logs.store.ts";
import { headsWithoutLog } from "../../../src/maintenance/audit-log/verify-store.ts";
import { testOnEngines } from "../../support/desk.ts";
import { behindItsBack, extra, fill, logOf, rowAt, verify } from "./log-desk.ts";

testOnEngines("audit log: a log that is gone or rewound hides nothing", async (desk) => {
  await fill(desk);
  const { org_id } = desk;
  const log = await logOf(desk);
  // It ends at the first checkpoint that is kept.
  const back = "update trail_logs set size = 1, frontier = ''";
  const one = `where org_id = '${org_id}'`;
  await behindItsBack(desk, `${back} ${one}`);
  const rewound = await verify(desk);
  assert.ok(
    rewound.findings.some(({ wrong, leaf_index, entries }) =>
      wrong === "inserted" && leaf_index === 1 && entries === log.size - 1
    ),
    JSON.stringify(rewound.findings),
  );
  // Without the entries the rows tell of them, and so do checkpoints.
  await behindItsBack(desk, `delete from trail_leaves ${one} and leaf_index > 0`);
  const [bare] = (await verify(desk)).findings.filter(({ why }) =>
    /missing or was cut back/.test(why)
  );
  assert.deepEqual([bare?.wrong, bare?.leaf_index, bare?.entries], ["removed", 1, log.size - 1]);
  await behindItsBack(desk, `delete from audit_events ${one} and leaf_index > 0`);
  assert.ok((await verify(desk)).findings.some(({ why }) => /were signed/.test(why)));
  await behindItsBack(desk, `delete from trail_logs ${one}`);
  assert.ok((await verify(desk)).findings.some(({ wrong }) => wrong === "inserted"));
  await behindItsBack(
    desk,
    ...["trail_leaves", "trail_checkpoints", "audit_events"].map((t) => `delete from ${t} ${one}`),
  );
  const [empty] = (await verify(desk)).findings;
  assert.deepEqual([empty?.wrong, empty?.why], [
    "removed",
    "the audit log is empty, and its log is missing",
  ]);
}, { extra });

testOnEngines("audit log: an organisation that is gone is missed", async (desk) => {
  await fill(desk);
  const { org_id } = desk;
  const { reader } = desk.app.ctx.storage;
  const { checkpoint } = await logOf(desk);
  await behindItsBack(desk, `delete from organisations where id = '${org_id}'`);
  const gone = ["trail_logs", "trail_leaves", "audit_events"];
  for (const table of gone) {
    assert.deepEqual(await auditLogOrganisations(reader), [org_id], `with ${table}`);
    const { findings } = await verify(desk);
    assert.ok(findings.some(({ wrong, why }) => wrong === "removed" && /organisation/.test(why)));
    await behindItsBack(desk, `delete from ${table} where org_id = '${org_id}'`);
  }
  assert.deepEqual(await auditLogOrganisations(reader), []);
  // Only who has its head knows of it then.
  const [missed] = headsWithoutLog([checkpoint], []);
  assert.deepEqual([missed?.wrong, missed?.org_id], ["forked", org_id]);
  assert.deepEqual(headsWithoutLog([checkpoint], [org_id]), []);
}, { extra });

testOnEngines(
  "audit log: who rewrites row, entry and tree is found between two checkpoints",
  async (desk) => {
    await fill(desk);
    const row = await rowAt(desk, 3);
    const hash = contentHash({ ...row, actor: "else" });
    await behindItsBack(
      desk,
      `update audit_events set actor = 'else', content_hash = '${hash}' where id = '${row.id}'`,
      `update trail_leaves set leaf_hash = '${hash}' where event_id = '${row.id}'`,
    );
    const { findings } = await verify(desk);
    assert.deepEqual(findings.map(({ wrong }) => wrong), ["altered"]);
    const [{ leaf_index, entries } = { leaf_index: 0, entries: 0 }] = findings;
    assert.ok((leaf_index ?? 9) <= 3 && (leaf_index ?? 0) + entries > 3);
  },
  { extra },
);

testOnEngines("audit log: a checkpoint that the desk did not sign is found", async (desk) => {
  await fill(desk);
  const { checkpoint } = await logOf(desk);
  const forged = checkpoint.replace(/[A-Za-z0-9+/]{8}(?=[A-Za-z0-9+/]{3}=\n$)/, "AAAAAAAA");
  assert.notEqual(forged, checkpoint);
  await behindItsBack(desk, `update trail_logs set checkpoint = '${forged}'`);
  const { findings } = await verify(desk);
  assert.ok(findings.some(({ wrong }) => wrong === "unsigned"), JSON.stringify(findings));
  // Nor does another key count, where the right one is known.
  const name = `keydesk/${desk.org_id}`;
  const other = { name, public_key: btoa("x".repeat(32)) };
  const strange = await verify(desk, { verifiers: [other] });
  assert.ok(strange.findings.some(({ wrong }) => wrong === "unsigned"));
}, { extra });

testOnEngines("audit log: a key that somebody put into the store signs nothing", async (desk) => {
  await fill(desk);
  const { org_id } = desk;
  const log = await logOf(desk);
  const { head } = readCheckpoint(log.checkpoint, []);
  const { private_key, public_key } = newSigningKey();
  const note = signCheckpoint(head, private_key);
  const [own] = await auditLogKeys(desk.app.ctx.storage.reader);
  // Nor does one that has the private half of the desk's own beside it.
  for (const half of ["null", `'${own?.private_key}'`]) {
    await behindItsBack(
      desk,
      `insert into trail_keys (org_id, id, public_key, private_key, made_at)
        values ('', '${half === "null" ? "other" : "again"}', '${public_key}', ${half}, '2020')`,
      `delete from trail_checkpoints where org_id = '${org_id}'`,
      `update trail_logs set checkpoint = '${note}' where org_id = '${org_id}'`,
    );
    const { findings, verified } = await verify(desk);
    assert.deepEqual(findings.map(({ wrong }) => wrong), ["unsigned"]);
    assert.equal(verified.head, undefined);
  }
  // A key that was given up is trusted where it is known from elsewhere.
  await behindItsBack(
    desk,
    `update trail_keys set private_key = null where id = '${own?.id}'`,
    `update trail_logs set checkpoint = '${log.checkpoint}' where org_id = '${org_id}'`,
  );
  assert.deepEqual((await verify(desk)).findings.map(({ wrong }) => wrong), ["unsigned"]);
  const verifiers = [{ name: `keydesk/${org_id}`, public_key: own?.public_key ?? "" }];
  assert.deepEqual((await verify(desk, { verifiers })).findings, []);
}, { extra });

testOnEngines("audit log: a value that somebody took out by hand is told of", async (desk) => {
  await fill(desk);
  const { org_id } = desk;
  const selection = { person: "Jane Doe 2" };
  assert.deepEqual((await eraseAuditLog(desk.app.ctx, org_id, selection, false)).values, 1);
  await appendAll(desk.app.ctx);
  const { verified, findings } = await verify(desk);
  assert.deepEqual([verified.erasedValues, verified.reportedErased, findings], [1, 1, []]);
  // The same, without the row that tells of it: the row's hash is what it was.
  const row = await rowAt(desk, 4);
  const gone = withoutPersonal(row, ["/name"]);
  await behindItsBack(
    desk,
    `update audit_events set personal = '${gone.personal}', salts = '${gone.salts}',
      erased = '${gone.erased}' where id = '${row.id}'`,
  );
  const [found, ...others] = (await verify(desk)).findings;
  assert.deepEqual([found?.wrong, others], ["changed", []]);
  assert.match(found?.why ?? "", /2 personal values are erased, and the audit log reports 1/);
}, { extra });

testOnEngines(
  "audit log: rows that are older than the beginning of their log are told of",
  async (desk) => {
    const day = 24 * 60 * 60 * 1000;
    await fill(desk);
    // As imports and demos write them: the log was there before.
    await fill(desk, 3, Date.now() - day);
    assert.deepEqual((await verify(desk)).findings, []);
    // The log is taken away, and a server begins another one with the rows that are left.
    await behindItsBack(
      desk,
      ...["trail_logs", "trail_leaves", "trail_checkpoints"].map((table) => `delete from ${table}`),
      "update audit_events set leaf_index = null",
    );
    await appendAll(desk.app.ctx);
    const [found, ...others] = (await verify(desk)).findings;
    assert.deepEqual([found?.wrong, found?.entries, others], ["inserted", 3, []]);
    assert.match(found?.why ?? "", /older than the first checkpoint/);
  },
  { extra, environment: { KEYDESK_ORG_ID: "5e0be1000000000000000001" } },
);
