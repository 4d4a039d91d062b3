/** PostgreSQL at 100,000 keys of one plan: a read of a look takes its keys, and no others. */
import assert from "node:assert/strict";
import {
  dueSchedules,
  keysBehind,
} from "../../../../src/features/hygiene/unused/schedules.store.ts";
import { explaining, testFilled } from "../../../support/postgres-plans.ts";

const org_id = "org";

const FILL = [
  `insert into credentials (org_id, key_id, kind, state, developer_id, request_id, plans, mask,
      attempt_id, issued_at, issued_by, algorithm)
    select '${org_id}', lpad(to_hex(n), 64, '0'), 'token', 'active', 'dev' || n % 1000, '',
      '["plan"]', '', md5(n::text),
      to_char(timestamp '2024-01-01' + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'),
      'user', 'sha256'
    from generate_series(1, 100000) as n`,
  `insert into credential_plans (org_id, plan_id, state, issued_at, key_id)
    select org_id, 'plan', state, issued_at, key_id from credentials`,
  `insert into credential_uses (org_id, key_id, last_used_at)
    select org_id, key_id, '2026-01-01T00:00:00.000Z' from credentials where key_id < '${
    "0".repeat(59)
  }8'`,
  `insert into key_schedules (org_id, key_id, step, at, idle_since, due_at, event_id, sent_at)
    select org_id, key_id, 'warned', issued_at, issued_at, issued_at, '', null from credentials`,
  "vacuum analyze",
];

testFilled(
  "postgres: a look at 100,000 keys of a plan reads those of its page, and the first that are due",
  FILL,
  async (reader, client) => {
    const watched = explaining(reader, client, (nodes, sql) => {
      const context = `${sql}\n${JSON.stringify(nodes)}`;
      for (const node of nodes) {
        if (node["Relation Name"] === undefined) continue;
        const rows = (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1) +
          (node["Rows Removed by Filter"] ?? 0);
        assert.ok(rows <= 1000, context);
      }
    });
    const from = { org_id, plan_id: "plan", issued_at: "2024-02-01T00:00:00.000Z", key_id: "" };
    const keys = await keysBehind(watched, from, 500);
    assert.equal(keys.length, 500);
    const now = "2026-06-01T00:00:00.000Z";
    assert.equal((await dueSchedules(watched, { org_id, now }, 1000)).length, 1000);
  },
);
