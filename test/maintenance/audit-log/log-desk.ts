/** A desk whose audit log is filled, read and verified, and reached behind Keydesk's back. */
import assert from "node:assert/strict";
import { recordAudit } from "../../../src/changes/audit.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import type { Finding, FoundEvent } from "../../../src/maintenance/audit-log/log-found.ts";
import { leavesFrom, rowsOf } from "../../../src/maintenance/audit-log/log-reading.store.ts";
import { type AuditLogLog, findLog } from "../../../src/maintenance/audit-log/logs.store.ts";
import {
  type Verified,
  type VerifyOptions,
  verifyStore,
} from "../../../src/maintenance/audit-log/verify-store.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { locationOf } from "../../../src/open-server.ts";
import type { TestDesk } from "../../support/desk.ts";

/** `n` events, each with a person's name. */
export const record = defineTransaction(
  "test.record",
  async (tx, input: { org_id: string; n: number; now: number }) => {
    for (let i = 0; i < input.n; i++) {
      const caller_request_id = i % 2 === 0 ? "" : `own-${i}`;
      const ids = { session: "", request_id: `call-${i}`, caller_request_id };
      const call = { ...ids, client_address: "192.0.2.7" };
      const actor = { org_id: input.org_id, user_id: "u", token_id: "t", now: input.now, call };
      const personal = { "/name": `Jane Doe ${i}` };
      const event = { action: "thing.changed", object: "thing", object_id: `${i}` };
      await recordAudit(tx, actor, { ...event, detail: { i, at: { b: 1, a: [2] } }, personal });
    }
  },
);

/** What the release before writes of a purge. */
export const purgedByOlder = defineTransaction(
  "test.purged-by-older",
  async (tx, { org_id, before, now }: { org_id: string; before: string; now: number }) => {
    const actor = { org_id, user_id: "retention", token_id: "", now };
    const event = { action: "retention.purged", object: "table", object_id: "audit_events" };
    await recordAudit(tx, actor, { ...event, detail: { rows: 5, before, exported: false } });
  },
);

/** What the writer of these tests knows besides. */
export const extra = [record, purgedByOlder];

/** Rows of the audit log that are in the log. */
export async function fill(desk: TestDesk, n = 6, now = Date.now()): Promise<void> {
  const { ctx } = desk.app;
  await ctx.storage.commit(record, { org_id: desk.org_id, n, now });
  await appendAll(ctx);
}

/** What a check of the organisation's audit log says. */
export async function verify(
  desk: TestDesk,
  options: VerifyOptions = {},
): Promise<{ verified: Verified; findings: Finding[] }> {
  return await verifyStore(desk.app.ctx, desk.org_id, options);
}

/** What somebody does who reaches the database without Keydesk. */
export async function behindItsBack(desk: TestDesk, ...statements: string[]): Promise<void> {
  const session = await openSession(locationOf(desk.config));
  try {
    for (const statement of statements) await session.exec(statement);
  } finally {
    await session.close();
  }
}

/** The organisation's log, as it is stored. */
export async function logOf(desk: TestDesk): Promise<AuditLogLog> {
  const log = await findLog(desk.app.ctx.storage.reader, desk.org_id);
  assert.ok(log);
  return log;
}

/** The row behind an entry. */
export async function rowAt(desk: TestDesk, leaf_index: number): Promise<FoundEvent> {
  const { reader } = desk.app.ctx.storage;
  const leaves = (await leavesFrom(reader, desk.org_id, leaf_index)).slice(0, 1);
  const row = (await rowsOf(reader, desk.org_id, leaves)).get(leaf_index);
  assert.ok(row);
  return row;
}

/** Findings without their words and times. */
export const told = (findings: readonly Finding[]) =>
  findings.map(({ wrong, leaf_index, id }) => ({ wrong, leaf_index, id }));

/** The tables of an audit log. */
export const AUDIT_LOG_TABLES = ["audit_events", "trail_logs", "trail_leaves", "trail_checkpoints"];

/** Notes what tables hold now; the function that it gives puts that back behind Keydesk's back. */
export async function photograph(
  desk: TestDesk,
  tables: readonly string[] = AUDIT_LOG_TABLES,
): Promise<() => Promise<void>> {
  await behindItsBack(
    desk,
    ...tables.map((table) => `create table old_${table} as select * from ${table}`),
  );
  return () =>
    behindItsBack(
      desk,
      ...tables.flatMap((table) => [
        `delete from ${table}`,
        `insert into ${table} select * from old_${table}`,
      ]),
    );
}
