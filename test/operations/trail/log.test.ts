/** The log of the trail: whatever is done to the store behind Keydesk's back is found, and where. */
import assert from "node:assert/strict";
import { contentHash, hashedValue, withoutPersonal } from "../../../src/changes/audit-content.ts";
import { recordAudit } from "../../../src/changes/audit.ts";
import { newSigningKey, readCheckpoint, signCheckpoint } from "../../../src/kernel/checkpoint.ts";
import { appendAll } from "../../../src/operations/trail/appender.ts";
import { exportedLog } from "../../../src/operations/trail/exported-log.ts";
import type { Finding, FoundEvent } from "../../../src/operations/trail/log-check.ts";
import {
  leavesFrom,
  rowsOf,
  trailOrganisations,
} from "../../../src/operations/trail/log-reading.store.ts";
import {
  findLog,
  trailKeys,
  type TrailLog,
} from "../../../src/operations/trail/trail-log.store.ts";
import {
  headsWithoutLog,
  storeVerifiers,
  type Verified,
  type VerifyOptions,
  verifyStore,
} from "../../../src/operations/trail/verify-store.ts";
import { verifyLines } from "../../../src/operations/trail/verify-file.ts";
import { purgeOld } from "../../../src/operations/retention/retention.transactions.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { locationOf } from "../../../src/desk.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";

const DAY = 24 * 60 * 60 * 1000;

const record = defineTransaction(
  "test.record",
  async (tx, input: { org_id: string; n: number; now: number }) => {
    for (let i = 0; i < input.n; i++) {
      const call = { session: "", request_id: `call-${i}`, client_address: "192.0.2.7" };
      const actor = { org_id: input.org_id, user_id: "u", token_id: "t", now: input.now, call };
      const personal = { "/name": `Jane Doe ${i}` };
      const event = { action: "thing.changed", object: "thing", object_id: `${i}` };
      await recordAudit(tx, actor, { ...event, detail: { i, at: { b: 1, a: [2] } }, personal });
    }
  },
);

/** What the release before writes of a purge. */
const purgedByOlder = defineTransaction(
  "test.purged-by-older",
  async (tx, { org_id, before, now }: { org_id: string; before: string; now: number }) => {
    const actor = { org_id, user_id: "retention", token_id: "", now };
    const event = { action: "retention.purged", object: "table", object_id: "audit_events" };
    await recordAudit(tx, actor, { ...event, detail: { rows: 5, before, exported: false } });
  },
);

const extra = [record, purgedByOlder];

/** Rows of the trail that are in the log. */
async function fill(desk: TestDesk, n = 6, now = Date.now()): Promise<void> {
  const { ctx } = desk.app;
  await ctx.storage.commit(record, { org_id: desk.org_id, n, now });
  await appendAll(ctx);
}

async function verify(
  desk: TestDesk,
  options: VerifyOptions = {},
): Promise<{ verified: Verified; findings: Finding[] }> {
  return await verifyStore(desk.app.ctx, desk.org_id, options);
}

/** What somebody does who reaches the database without Keydesk. */
async function behindItsBack(desk: TestDesk, ...statements: string[]): Promise<void> {
  const session = await openSession(locationOf(desk.config));
  try {
    for (const statement of statements) await session.exec(statement);
  } finally {
    await session.close();
  }
}

async function logOf(desk: TestDesk): Promise<TrailLog> {
  const log = await findLog(desk.app.ctx.storage.reader, desk.org_id);
  assert.ok(log);
  return log;
}

/** The row behind an entry. */
async function rowAt(desk: TestDesk, leaf_index: number): Promise<FoundEvent> {
  const { reader } = desk.app.ctx.storage;
  const leaves = (await leavesFrom(reader, desk.org_id, leaf_index)).slice(0, 1);
  const row = (await rowsOf(reader, desk.org_id, leaves)).get(leaf_index);
  assert.ok(row);
  return row;
}

const told = (findings: readonly Finding[]) =>
  findings.map(({ wrong, leaf_index, id }) => ({ wrong, leaf_index, id }));

testOnEngines("trail: what nobody touched holds, to the newest checkpoint", async (desk) => {
  await fill(desk, 300);
  await fill(desk, 3);
  const { verified, findings } = await verify(desk);
  assert.deepEqual(findings, []);
  const log = await logOf(desk);
  assert.ok(log.size > 303);
  assert.deepEqual([verified.entries, verified.head?.size, verified.waiting], [
    ...[log.size, log.size, 0],
  ]);
  const [verifier] = await storeVerifiers(desk.app.ctx.storage.reader, desk.org_id);
  assert.ok(verifier);
  const { head, signedBy } = readCheckpoint(log.checkpoint, [verifier]);
  assert.equal(head.size, log.size);
  assert.deepEqual(signedBy, verifier);
}, { extra });

testOnEngines("trail: rows that wait are told as such, and are no finding", async (desk) => {
  await fill(desk);
  await desk.app.ctx.storage.commit(record, { org_id: desk.org_id, n: 2, now: Date.now() });
  const { verified, findings } = await verify(desk);
  assert.deepEqual(findings, []);
  assert.equal(verified.waiting, 2);
}, { extra });

for (
  const [member, value] of Object.entries({
    ...{ actor: "'else'", action: "'thing.else'", object: "'else'", object_id: "'else'" },
    ...{ at: "'2020-01-01T00:00:00.000Z'", detail: `'{"i":7}'`, token_id: "'else'" },
    ...{ session: "'else'", request_id: "'else'", client_address: "'192.0.2.8'" },
    ...{ personal: `'{"/name":"John Roe"}'`, salts: "'{}'", erased: `'{"/x":"y"}'` },
    ...{ leaf_index: "7" },
  })
) {
  testOnEngines(`trail: a changed ${member} is found, in its row`, async (desk) => {
    await fill(desk);
    const { id } = await rowAt(desk, 3);
    await behindItsBack(desk, `update audit_events set ${member} = ${value} where id = '${id}'`);
    const { findings, verified } = await verify(desk);
    const changed = findings.filter(({ wrong }) => wrong === "changed");
    assert.deepEqual(told(changed), [{ wrong: "changed", leaf_index: 3, id }]);
    // The log itself is what was signed: so it is the row.
    assert.equal(verified.head?.size, (await logOf(desk)).size);
  }, { extra });
}

testOnEngines("trail: nothing but a hash stands for an erased value, and alone", async (desk) => {
  await fill(desk);
  const { reader } = desk.app.ctx.storage;
  const row = await rowAt(desk, 3);
  // as: `fill` wrote it so.
  const salts = JSON.parse(row.salts) as Record<string, string>;
  const hash = hashedValue(salts["/name"] ?? "", "Jane Doe 3");
  const moved = `${salts["/name"]}`;
  const text = (value: unknown) => `'${JSON.stringify(value)}'`;
  const forged: Record<string, string> = {
    "a detail under the name of the whole":
      `erased = '{"":${row.detail}}', detail = '{"forged":1}'`,
    "a value beside its hash": `erased = ${text({ "/name": hash })}, salts = ${
      text({ client_address: salts.client_address })
    }, personal = '{"/name":"John Roe"}'`,
    "a character moved to the value": `salts = ${text({ ...salts, "/name": moved.slice(0, 31) })},
      personal = ${text({ "/name": `${moved.slice(31)}Jane Doe 3` })}`,
    "an object for a hash": `erased = '{"client_address":null}'`,
    "a member that is no JSON": `erased = '{'`,
  };
  for (const [what, set] of Object.entries(forged)) {
    const where = `where org_id = '${desk.org_id}' and id = '${row.id}'`;
    await behindItsBack(desk, `update audit_events set ${set} ${where}`);
    const expected = [{ wrong: "changed", leaf_index: 3, id: row.id }];
    assert.deepEqual(told((await verify(desk)).findings), expected, what);
    const inFile = await findingsOfFile(exportedLog(reader, desk.org_id, {}));
    assert.deepEqual(told(inFile), expected, `${what}, exported`);
    const { detail, personal, erased } = row;
    await behindItsBack(
      desk,
      `update audit_events set detail = '${detail}', personal = '${personal}',
        salts = '${row.salts}', erased = '${erased}' ${where}`,
    );
  }
  assert.deepEqual((await verify(desk)).findings, []);
}, { extra });

async function findingsOfFile(pieces: AsyncIterable<string>): Promise<Finding[]> {
  let all = "";
  for await (const piece of pieces) all += piece;
  const lines = async function* () {
    for (const [i, text] of all.trimEnd().split("\n").entries()) yield { line: i + 1, text };
  };
  const findings: Finding[] = [];
  for await (const result of verifyLines(lines(), () => ({}))) findings.push(...result.findings);
  return findings;
}

testOnEngines("trail: a removed row is found, with its place and its time", async (desk) => {
  await fill(desk);
  const { id, at } = await rowAt(desk, 4);
  await behindItsBack(desk, `delete from audit_events where id = '${id}'`);
  const { findings } = await verify(desk);
  assert.deepEqual(told(findings), [{ wrong: "removed", leaf_index: 4, id }]);
  assert.equal(findings[0]?.at.slice(0, 19), at.slice(0, 19));
}, { extra });

testOnEngines("trail: removed with its entry, and at either end too", async (desk) => {
  await fill(desk);
  const { size } = await logOf(desk);
  for (const n of [size - 1, 3, 0]) {
    const { id } = await rowAt(desk, n);
    await behindItsBack(
      desk,
      `delete from audit_events where id = '${id}'`,
      `delete from trail_leaves where event_id = '${id}'`,
    );
    const { findings } = await verify(desk);
    assert.ok(
      findings.some(({ wrong, leaf_index }) => wrong === "removed" && leaf_index === n),
      `${n}: ${JSON.stringify(findings)}`,
    );
  }
}, { extra });

testOnEngines("trail: a row that was put in is found, whatever place it says", async (desk) => {
  await fill(desk);
  const { id } = await rowAt(desk, 2);
  const copy = (as: string, place: string, hash = "content_hash") =>
    `insert into audit_events (org_id, id, at, actor, action, object, object_id, detail, token_id,
      session, request_id, client_address, personal, salts, erased, content_hash, leaf_index)
    select org_id, '${as}', at, actor, action, object, object_id, detail, token_id, session,
      request_id, client_address, personal, salts, erased, ${hash}, ${place}
    from audit_events where id = '${id}'`;
  const made = ["copy", "far", "waits", "bare"].map((name) => id.slice(0, 16) + name);
  await behindItsBack(
    desk,
    copy(made[0] ?? "", "leaf_index"),
    copy(made[1] ?? "", "1000"),
    copy(made[2] ?? "", "null"),
    copy(made[3] ?? "", "null", "null"),
  );
  const { findings } = await verify(desk);
  assert.deepEqual(findings.map(({ wrong, id }) => `${wrong} ${id}`).sort(), [
    ...made.map((name) => `inserted ${name}`).sort(),
  ]);
  // A server takes in what waits: it is found all the same, now with a place.
  await appendAll(desk.app.ctx);
  const after = await verify(desk);
  const placed = after.findings.filter(({ leaf_index }) => (leaf_index ?? -1) > 5);
  assert.deepEqual(placed.map(({ wrong }) => wrong).sort(), ["changed", "inserted", "inserted"]);
}, { extra });

const forgedRow = (desk: TestDesk, id: string, place: string) =>
  `insert into audit_events
    (org_id, id, at, actor, action, object, object_id, detail, leaf_index)
  select org_id, '${id}', at, 'else', action, object, object_id, '{}', ${place}
  from audit_events where org_id = '${desk.org_id}' and leaf_index = 2`;

testOnEngines("trail: a row beside the log is found, with an entry or without", async (desk) => {
  await fill(desk);
  const { org_id } = desk;
  const { id } = await rowAt(desk, 2);
  const made = [["999999", "far"], ["-5", "less"], ["7777", "bare"]] as const;
  for (const [place, name] of made) {
    await behindItsBack(desk, forgedRow(desk, id.slice(0, 16) + name, place));
    if (name === "bare") continue;
    await behindItsBack(
      desk,
      `insert into trail_leaves values
        ('${org_id}', ${place}, '${id.slice(0, 16)}${name}', 'written', '00')`,
    );
  }
  await behindItsBack(desk, forgedRow(desk, "", "3"));
  const { findings } = await verify(desk);
  assert.ok(findings.every(({ wrong }) => wrong === "inserted"));
  assert.deepEqual(findings.map((one) => one.id).sort(), [
    "",
    ...made.map(([, name]) => id.slice(0, 16) + name).sort(),
  ]);
}, { extra });

testOnEngines("trail: a log that is gone or rewound hides nothing", async (desk) => {
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
    /gone or was cut back/.test(why)
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
    "the trail is empty, and there is no log of it",
  ]);
}, { extra });

testOnEngines("trail: an organisation that is gone is missed", async (desk) => {
  await fill(desk);
  const { org_id } = desk;
  const { reader } = desk.app.ctx.storage;
  const { checkpoint } = await logOf(desk);
  await behindItsBack(desk, `delete from organisations where id = '${org_id}'`);
  const gone = ["trail_logs", "trail_leaves", "audit_events"];
  for (const table of gone) {
    assert.deepEqual(await trailOrganisations(reader), [org_id], `with ${table}`);
    const { findings } = await verify(desk);
    assert.ok(findings.some(({ wrong, why }) => wrong === "removed" && /organisation/.test(why)));
    await behindItsBack(desk, `delete from ${table} where org_id = '${org_id}'`);
  }
  assert.deepEqual(await trailOrganisations(reader), []);
  // Only who has its head knows of it then.
  const [missed] = headsWithoutLog([checkpoint], []);
  assert.deepEqual([missed?.wrong, missed?.org_id], ["forked", org_id]);
  assert.deepEqual(headsWithoutLog([checkpoint], [org_id]), []);
}, { extra });

testOnEngines(
  "trail: who rewrites row, entry and tree is found between two checkpoints",
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

testOnEngines("trail: a checkpoint that the desk did not sign is found", async (desk) => {
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

testOnEngines("trail: a key that somebody put into the store signs nothing", async (desk) => {
  await fill(desk);
  const { org_id } = desk;
  const log = await logOf(desk);
  const { head } = readCheckpoint(log.checkpoint, []);
  const { private_key, public_key } = newSigningKey();
  const note = signCheckpoint(head, private_key);
  const [own] = await trailKeys(desk.app.ctx.storage.reader);
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

testOnEngines(
  "trail: what names a person can be erased, and the proof stays whole",
  async (desk) => {
    await fill(desk);
    const row = await rowAt(desk, 3);
    const { personal, client_address, salts, erased } = withoutPersonal(row);
    assert.deepEqual([personal, client_address, salts], ["{}", "", "{}"]);
    assert.doesNotMatch(erased, /Jane|192/);
    await behindItsBack(
      desk,
      `update audit_events set personal = '${personal}', client_address = '${client_address}',
      salts = '${salts}', erased = '${erased}' where id = '${row.id}'`,
    );
    const { findings, verified } = await verify(desk);
    assert.deepEqual(findings, []);
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
  "trail: rows from before enter at the upgrade, and their names can be erased",
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

testOnEngines(
  "trail: retention cuts a first stretch, and what is left is proved on",
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

testOnEngines("trail: rows that the release before has purged are no holes", async (desk) => {
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

testOnEngines("trail: another history than a head that was noted forks", async (desk) => {
  await fill(desk);
  const { checkpoint, size } = await logOf(desk);
  await fill(desk);
  assert.deepEqual((await verify(desk, { since: checkpoint })).findings, []);
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
  assert.equal((await verify(desk, { since: noted })).findings[0]?.wrong, "forked");
  await fill(desk, 30);
  assert.deepEqual((await verify(desk)).findings, []);
  const { findings } = await verify(desk, { since: noted });
  assert.deepEqual(findings.map(({ wrong }) => wrong), ["forked"]);
  assert.deepEqual((await verify(desk, { since: checkpoint })).findings, []);
}, { extra });

async function frontierUntil(desk: TestDesk, size: number): Promise<{ frontierAt: string }> {
  const { Frontier } = await import("../../../src/kernel/merkle.ts");
  const frontier = new Frontier();
  const leaves = await leavesFrom(desk.app.ctx.storage.reader, desk.org_id, 0);
  for (const { leaf_hash } of leaves.slice(0, size)) frontier.add(leaf_hash);
  return { frontierAt: frontier.toString() };
}

testOnEngines(
  "trail: a log that is gone or was cut back is told once, and none begins over it",
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
      assert.match(findings[0]?.why ?? "", /log itself is gone or was cut back/);
      await fill(desk, 1);
      const [trouble] = ctx.troubles.current();
      assert.deepEqual([trouble?.name, trouble?.stops], ["trail_cut_back", "nothing"]);
      assert.ok(trouble?.reason.includes(desk.org_id));
      assert.equal((await findLog(ctx.storage.reader, desk.org_id))?.size ?? 0, to);
    };
    await backTo(100);
    await backTo(0);
    assert.equal((await verify(desk)).verified.waiting, 2);
    // Said by hand, a log begins anew.
    await behindItsBack(desk, "update audit_events set leaf_index = null");
    await appendAll(ctx);
    assert.deepEqual(ctx.troubles.current(), []);
    assert.deepEqual((await verify(desk)).findings, []);
  },
  { extra },
);
