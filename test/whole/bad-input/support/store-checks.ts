import assert from "node:assert/strict";
import { statement } from "../../../../src/storage/statement.ts";
import type { TestDesk } from "../../../support/desk.ts";

const rowsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("key_requests").select(["id", "state", "approved", "instant"])
    .where("org_id", "=", p.org_id)
);

const developersSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("developers").select("instant").where("org_id", "=", p.org_id)
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
  const { org_id } = desk;
  const requests = await reader.rows(rowsSql, { org_id });
  const developers = await reader.rows(developersSql, { org_id });
  const rows = [
    ...requests.map((row) => ({ ...row, list: `key_requests/${row.state}/${row.approved}` })),
    ...developers.map((row) => ({ ...row, list: "developers" })),
  ];
  const counters = await reader.rows(countersSql, { org_id: desk.org_id });
  const kept = new Map<string, number>();
  const sums = new Map<string, number>();
  const add = (to: Map<string, number>, name: string, n: number) =>
    to.set(name, (to.get(name) ?? 0) + n);
  for (const { list, level, bucket, n } of counters) {
    add(kept, `${list} ${level} ${bucket}`, Number(n));
    add(sums, `${list} ${level}`, Number(n));
  }
  for (const [name, n] of kept) {
    const [list, , bucket = ""] = name.split(" ");
    const counted = rows.filter((row) => row.list === list && row.instant.startsWith(bucket));
    assert.equal(n, counted.length, name);
  }
  for (const [name, n] of sums) {
    const [list] = name.split(" ");
    assert.equal(n, rows.filter((row) => row.list === list).length, name);
  }
  for (const row of rows) assert.ok(sums.has(`${row.list} 0`), `${row.list} is not counted`);
}
