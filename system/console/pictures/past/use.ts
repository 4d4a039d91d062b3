/** How often keys were used, and what was done in the night before. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { writeAuditLogRows } from "../../../../src/calls/audit-notes.transactions.ts";
import { operator } from "../../../../src/features/people/operator.transactions.ts";
import { BACKED_UP } from "../../../../src/maintenance/server-info/last-backup.store.ts";
import { fillCalls } from "../../busy-desk.ts";
import { world } from "../fixed-world.ts";
import { type Desk, HOUR_MS, NOW } from "../picture-desk.ts";

/** Two months of calls, and when each key was used last. */
export async function countUse(desk: Desk): Promise<void> {
  await desk.settle();
  using db = new DatabaseSync(join(desk.folder, "keydesk.db"));
  db.exec("begin");
  fillCalls(db);
  db.exec(`insert or replace into credential_uses
    select org_id, key_id, '${new Date(NOW - HOUR_MS).toISOString()}' from credentials
    where rowid % 5 <> 0 or key_id in (select object_id from usage_days where kind = 'key')`);
  db.exec("update organisations set name = 'Riverline'");
  db.exec("commit");
}

/** Somebody made a backup in the night before. */
export async function backUp(desk: Desk): Promise<void> {
  world.now = NOW - 6 * HOUR_MS;
  const { ctx, first } = desk.app;
  const actor = operator(first.org_id, world.now);
  const event = { ...BACKED_UP, detail: { by: "keydesk backup" } };
  await ctx.storage.commit(writeAuditLogRows, { rows: [{ actor, event }] });
  world.now = NOW;
}
