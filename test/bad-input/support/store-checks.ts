import assert from "node:assert/strict";
import { statement } from "../../../src/storage/statement.ts";
import type { TestDesk } from "../../support/desk.ts";

const rowsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("key_requests").select(["id", "state", "approved", "instant"])
    .where("org_id", "=", p.org_id)
);

const countersSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("list_counts").select(["list", "level", "bucket", "n"])
    .where("org_id", "=", p.org_id)
);

const totalsSql = statement<Record<never, never>>()((db) =>
  db.selectNoFrom((eb) => [
    eb.selectFrom("key_requests").select((e) => e.fn.countAll<number>().as("n")).as("requests"),
    eb.selectFrom("developers").select((e) => e.fn.countAll<number>().as("n")).as("developers"),
    eb.selectFrom("credentials").select((e) => e.fn.countAll<number>().as("n")).as("credentials"),
    eb.selectFrom("audit_events").select((e) => e.fn.countAll<number>().as("n")).as("audit"),
    eb.selectFrom("outbox_events").select((e) => e.fn.countAll<number>().as("n")).as("outbox"),
    eb.selectFrom("idempotent_answers").select((e) => e.fn.countAll<number>().as("n")).as("kept"),
  ])
);

/** How many rows every table that a call can write to holds. */
export async function storedRows(desk: TestDesk): Promise<Record<string, number>> {
  const row = await desk.app.ctx.storage.reader.row(totalsSql, {});
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, n]) => [name, Number(n)]));
}

/** The ids of all key requests. */
export async function storedIds(desk: TestDesk): Promise<string[]> {
  const rows = await desk.app.ctx.storage.reader.rows(rowsSql, { org_id: desk.org_id });
  return rows.map((row) => row.id);
}

/** Fails unless every counter, at every level, says what counting the rows says. */
export async function assertCountersAgree(desk: TestDesk): Promise<void> {
  const { reader } = desk.app.ctx.storage;
  const counted = new Map<string, number>();
  const add = (name: string, n: number) => counted.set(name, (counted.get(name) ?? 0) + n);
  for (const row of await reader.rows(rowsSql, { org_id: desk.org_id })) {
    const list = `key_requests/${row.state}/${row.approved}`;
    // All, year, month, day, hour, minute.
    for (const [level, width] of [0, 4, 7, 10, 13, 16].entries()) {
      add(`${list} ${level} ${row.instant.slice(0, width)}`, 1);
    }
  }
  const kept = new Map<string, number>();
  for (
    const { list, level, bucket, n } of await reader.rows(countersSql, { org_id: desk.org_id })
  ) {
    const name = `${list} ${level} ${bucket}`;
    kept.set(name, (kept.get(name) ?? 0) + Number(n));
  }
  for (const [name, n] of kept) if (n === 0) kept.delete(name);
  assert.deepEqual([...kept].sort(), [...counted].sort());
}
