/** How often keys were used, and what was done in the night before. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { writeAuditLogRows } from "../../../../src/calls/audit-notes.transactions.ts";
import { operator } from "../../../../src/features/people/operator.transactions.ts";
import { noteUses } from "../../../../src/features/verification/last-uses.transactions.ts";
import { addDeniedCalls } from "../../../../src/features/verification/denied-calls/denied-calls.transactions.ts";
import { addUsage } from "../../../../src/features/verification/usage/usage.transactions.ts";
import { toTimestamp } from "../../../../src/kernel/clock.ts";
import { type CalledKey, callsOf } from "../../../../src/maintenance/seed/demo-calls.ts";
import { demoData } from "../../../../src/maintenance/seed/demo.ts";
import { BACKED_UP } from "../../../../src/maintenance/server-info/last-backup.store.ts";
import { world } from "../fixed-world.ts";
import { DAY_MS, type Desk, HOUR_MS, NOW } from "../picture-desk.ts";

/** The calls of the last two months, by all keys in force, as the demo counts them. */
export async function countUse(desk: Desk): Promise<void> {
  await desk.settle();
  const { storage } = desk.app.ctx;
  using db = new DatabaseSync(join(desk.folder, "keydesk.db"));
  db.exec("update organisations set name = 'Riverline'");
  const gateway = demoData.gateway.name;
  const { rows, uses, quotas, denied } = callsOf(calledKeys(db), gateway, NOW);
  const [org_id, first] = [desk.app.first.org_id, toTimestamp(NOW - 60 * DAY_MS)];
  const seen = { org_id, name: gateway, first, last: toTimestamp(NOW), version: "", minutes: [] };
  await storage.commit(addUsage, { rows, owners: [], gateways: [seen] });
  await storage.commit(noteUses, { uses });
  await storage.commit(addDeniedCalls, { calls: denied });
  const add = db.prepare(`insert into quota_uses (org_id, key_id, plan_id, period, used, told)
    values (?, ?, ?, ?, ?, 0)`);
  for (const one of quotas) add.run(one.org_id, one.key_id, one.plan_id, one.period, one.used);
}

function calledKeys(db: DatabaseSync): CalledKey[] {
  const apis = new Map<string, string>();
  // as: the columns that are named.
  const keys = db.prepare(`select c.*, p.id as plan_id, p.name as plan, a.key as api
    from credentials as c, json_each(c.plans) as g
    join plans as p on p.id = g.value, json_each(p.document, '$.access_rights') as a
    order by c.issued_at, c.key_id`).all() as unknown as KeyRow[];
  for (const { plan, api } of keys) apis.set(plan, api);
  return keys.flatMap((key, index) => {
    const plan = Object.values(demoData.plans).find(({ name }) => name === key.plan);
    if (!plan) return [];
    const { org_id, key_id, developer_id, plan_id, api } = key;
    const end = key.state === "active" ? key.expires_at : key.state_changed_at;
    return [{
      org_id,
      key_id,
      developer_id,
      plan_id,
      api_id: api,
      otherApi: apis.get(key.plan === "Partner" ? "Free" : "Partner") ?? api,
      // Every eighth was never used.
      calls: index % 8 === 7 ? 0 : Math.round(plan.calls_a_day * (0.6 + index * 37 % 80 / 100)),
      limits: plan,
      since: Date.parse(key.issued_at),
      until: end === null ? null : Date.parse(end),
    }];
  });
}

/** A key under one plan. */
interface KeyRow {
  org_id: string;
  key_id: string;
  developer_id: string;
  state: string;
  issued_at: string;
  expires_at: string | null;
  state_changed_at: string | null;
  plan_id: string;
  plan: string;
  api: string;
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
