/** PostgreSQL at 240,000 counts: what is told of use reads its own rows, and no others. */
import assert from "node:assert/strict";
import type pg from "pg";
import * as store from "../../../../src/features/verification/usage/usage.store.ts";
import { type UsageKind, usageTables } from "../../../../src/features/verification/usage/usage.ts";
import type { Connection } from "../../../../src/storage/storage.ts";
import { explaining, type Plan, testFilled } from "../../../support/postgres-plans.ts";

const org_id = "org";
const asked = { org_id, from: 490_000, until: 490_720, plan_id: "", api_id: "" };
const ids = (n: number) => Array.from({ length: n }, (_, i) => `object-${i}`);

/** 3,000 keys and 30 plans over 40 days, each used once a day. */
const FILL = [
  `insert into usage_days
    (org_id, kind, object_id, begins, plan_id, api_id, success, error_401, error_403, error_429, last_hit)
    select '${org_id}', case when n >= 3000 then 'plan' else 'key' end, 'object-' || n % 3000,
      489960 + day * 24, case when n >= 3000 then '' else 'plan' end, '', 1, 0, 0, 0,
      '2026-01-01T00:00:00.000Z'
    from generate_series(0, 3029) as n, generate_series(0, 39) as day`,
  "insert into usage_hours select * from usage_days",
  "vacuum analyze",
];

testFilled(
  "postgres: what is told of use reads its own rows and no others, however many there are",
  FILL,
  async (reader, client) => {
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      await client.query(`set plan_cache_mode = ${mode}`);
      for (const table of usageTables) {
        for (const [kind, n] of [["plan", 1], ["key", 1], ["key", 25]] as const) {
          const { rows, read } = await readOf(reader, client, table, kind, ids(n));
          assert.equal(rows.length, 30);
          assert.equal(rows[0]?.success, n);
          assert.equal(read, 30 * n, `${mode} ${table} ${kind} ${n}`);
        }
        const of = { from: asked.from, until: asked.until };
        let read: Plan[] = [];
        const summed = await store.sumUsageOfKeys(
          explaining(reader, client, (plan) => read = plan),
          org_id,
          of,
          ids(25),
        );
        assert.equal(summed.length, 25 * 30);
        assert.equal(readIn(read), 30 * 25, `${mode} keys`);
        const seen: Plan[][] = [];
        const watched = explaining(reader, client, (plan) => seen.push(plan));
        assert.equal(await store.hasOldUsage(watched, table, 489_984), true);
        assert.equal(await store.hasOldUsage(watched, table, 1), false);
        assert.ok(readIn(seen.flat()) <= 1, JSON.stringify(seen));
      }
    }
  },
);

async function readOf(
  reader: Connection,
  client: pg.Client,
  table: typeof usageTables[number],
  kind: UsageKind,
  of: string[],
) {
  let nodes: Plan[] = [];
  const watched = explaining(reader, client, (plan) => nodes = plan);
  const rows = await store.sumUsage(watched, { ...asked, table, kind }, of);
  return { rows, read: readIn(nodes) };
}

/** Rows that the nodes of a plan took out of tables. */
function readIn(nodes: Plan[]): number {
  const scans = nodes.filter((node) => node["Relation Name"] !== undefined);
  assert.ok(scans.every((node) => /Index|Bitmap Heap/.test(node["Node Type"])));
  return scans.reduce(
    (sum, node) =>
      sum + (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1) +
      (node["Rows Removed by Filter"] ?? 0),
    0,
  );
}
