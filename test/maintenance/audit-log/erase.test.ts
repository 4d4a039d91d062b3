/** What names a person goes out of the audit log, everything that was proved stays proved. */
import assert from "node:assert/strict";
import { recordAudit } from "../../../src/changes/audit.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { eraseAuditLog } from "../../../src/maintenance/audit-log/erase.ts";
import { exportedLog } from "../../../src/maintenance/audit-log/exported-log.ts";
import { leastIdAt } from "../../../src/maintenance/retention/retained.ts";
import { verifyStore } from "../../../src/maintenance/audit-log/verify-store.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { locationOf } from "../../../src/open-server.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";

const DAY = 24 * 60 * 60 * 1000;
const EMAIL = "jane@example.com";

interface Event {
  actor?: string;
  address?: string;
  about?: string;
  personal?: Record<string, string>;
  detail?: Record<string, unknown>;
}

const record = defineTransaction(
  "test.record",
  async (tx, input: { org_id: string; now: number; events: Event[] }) => {
    const { org_id, now } = input;
    for (const { actor = "u", address = "", about = "x", personal, detail } of input.events) {
      const ids = { session: "", request_id: "", caller_request_id: "" };
      const call = { ...ids, client_address: address };
      const by = { org_id, user_id: actor, token_id: "", now, call };
      const event = { action: "thing.changed", object: "thing", object_id: about };
      await recordAudit(tx, by, { ...event, detail, personal });
    }
  },
);
const extra = [record];

/** Everything that the audit log holds, as an export has it. */
async function auditLogText({ app: { ctx }, org_id }: TestDesk): Promise<string> {
  return (await Array.fromAsync(exportedLog(ctx.storage.reader, org_id, {}))).join("");
}

async function fill(desk: TestDesk, events: Event[], now = Date.now()): Promise<void> {
  await desk.app.ctx.storage.commit(record, { org_id: desk.org_id, now, events });
  await appendAll(desk.app.ctx);
}

async function holds(desk: TestDesk): Promise<{ erased: number }> {
  const { verified, findings } = await verifyStore(desk.app.ctx, desk.org_id, {});
  assert.deepEqual(findings, []);
  assert.equal(verified.head?.size, verified.size);
  return verified;
}

testOnEngines("erase: of a person by e-mail and by id, and nothing of others", async (desk) => {
  const { ctx } = desk.app;
  const { org_id } = desk;
  await fill(desk, [
    { about: "dev-1", personal: { "/name": "Jane Doe", "/email": "Jane@Example.com" } },
    { about: "dev-1", personal: { "/name": "Jane Roe" }, address: "192.0.2.1" },
    { personal: { "/reason": `Ask <${EMAIL}>.` }, detail: { to: [`me, ${EMAIL}`], n: 3 } },
    { actor: "dev-1", address: "192.0.2.9", personal: { "/name": "A Third" } },
    { personal: { "/email": `mary-${EMAIL}` } },
    { personal: { "/email": `${EMAIL}.au` } },
    { about: "dev-12", personal: { "/name": "Joe" } },
    // More than one batch.
    ...Array.from({ length: 150 }, () => ({ personal: { "/email": EMAIL } })),
  ]);
  const before = await auditLogText(desk);
  const counted = await eraseAuditLog(ctx, org_id, { person: EMAIL }, true);
  assert.equal(await auditLogText(desk), before);
  assert.deepEqual(counted, {
    org_id,
    rows: 152,
    values: 154,
    waiting: 0,
    unreadable: 0,
    left: 2,
  });
  assert.deepEqual(await eraseAuditLog(ctx, org_id, { person: EMAIL }, false), counted);
  const byId = await eraseAuditLog(ctx, org_id, { person: "dev-1" }, false);
  assert.deepEqual([byId.rows, byId.values], [2, 2]);
  await appendAll(ctx);
  const text = await auditLogText(desk);
  for (const gone of ["Jane", "Ask", "192.0.2.9", `me, ${EMAIL}`, `"${EMAIL}"`]) {
    assert.ok(before.includes(gone) && !text.includes(gone), gone);
  }
  for (const stays of ["Joe", "A Third", "192.0.2.1", `mary-${EMAIL}`, `${EMAIL}.au`, `"n":3`]) {
    assert.ok(text.includes(stays), stays);
  }
  assert.equal((await holds(desk)).erased, 154);
  const rows = text.split("\n").filter((line) => line.includes('"trail.erased"'))
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    rows.map(({ actor, personal }) => [actor, personal]),
    rows.map(() => [
      "operator",
      {},
    ]),
  );
  assert.equal(rows.reduce((sum, { detail }) => sum + detail.values, 0), 156);
  assert.ok(rows.length >= 3);
  assert.equal((await eraseAuditLog(ctx, org_id, { person: EMAIL }, false)).rows, 0);
}, { extra });

testOnEngines("erase: by age, whosever it is, and a person's before a time", async (desk) => {
  const { ctx } = desk.app;
  const { org_id } = desk;
  const old = Date.now() - 40 * DAY;
  const events: Event[] = [{ address: "192.0.2.1", personal: { "/email": EMAIL } }, {
    personal: { "/name": "Joe" },
  }];
  await fill(desk, events, old);
  await fill(desk, events);
  const before = leastIdAt(new Date(old + DAY).toISOString());
  const theirs = await eraseAuditLog(ctx, org_id, { person: EMAIL, before }, false);
  assert.deepEqual([theirs.rows, theirs.values], [1, 1]);
  const all = await eraseAuditLog(ctx, org_id, { before }, false);
  assert.deepEqual([all.rows, all.values], [2, 2]);
  const text = await auditLogText(desk);
  for (const once of [EMAIL, "Joe", "192.0.2.1"]) assert.equal(text.split(once).length, 2, once);
  assert.equal((await holds(desk)).erased, 2);
}, { extra });

testOnEngines(
  "erase: a detail of an earlier release goes whole; none before its hash",
  async (desk) => {
    const { ctx } = desk.app;
    const { org_id } = desk;
    const now = Date.now();
    const id = (n: number) => `${Math.floor(now / 1000).toString(16)}${"0".repeat(15)}${n}`;
    const session = await openSession(locationOf(desk.config));
    for (const [n, name] of ['Zoë \\"Z\\" Doe\\nzoe@example.com', "Joe"].entries()) {
      await session.exec(
        `insert into audit_events (org_id, id, at, actor, action, object, object_id, detail)
      values ('${org_id}', '${id(n)}', '${new Date(now).toISOString()}', 'u', 'a.b', 'a', 'x',
        '{"before":{"name":"${name}"}}')`,
      );
    }
    await session.close();
    const person = "zoe@example.com";
    const early = await eraseAuditLog(ctx, org_id, { person }, false);
    assert.deepEqual([early.rows, early.waiting], [0, 2]);
    await appendAll(ctx);
    const { rows, values, waiting, left } = await eraseAuditLog(ctx, org_id, { person }, false);
    assert.deepEqual([rows, values, waiting, left], [1, 1, 0, 0]);
    const text = await auditLogText(desk);
    assert.ok(!text.includes("zoe@") && text.includes('"detail":{}') && text.includes("Joe"));
    const olderUntil = new Date(now + DAY).toISOString();
    const { verified, findings } = await verifyStore(ctx, org_id, { olderUntil });
    assert.deepEqual([findings, verified.erased, verified.older], [[], 1, 2]);
  },
  { extra },
);

testOnEngines(
  "erase: a row changed by hand stays a finding, one that is none is told",
  async (desk) => {
    const { ctx } = desk.app;
    const { org_id } = desk;
    await fill(desk, [{ about: "a", personal: { "/email": EMAIL } }, { about: "b" }]);
    const session = await openSession(locationOf(desk.config));
    await session.exec("update audit_events set actor = 'else' where object_id = 'a'");
    await session.exec("update audit_events set detail = '{' where object_id = 'b'");
    await session.close();
    const { rows, unreadable } = await eraseAuditLog(ctx, org_id, { person: EMAIL }, false);
    assert.deepEqual([rows, unreadable], [1, 1]);
    const { findings } = await verifyStore(ctx, org_id, {});
    assert.deepEqual(findings.map(({ wrong }) => wrong), ["changed", "changed"]);
  },
  { extra },
);
