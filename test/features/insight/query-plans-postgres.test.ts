/**
 * PostgreSQL at 20,000 keys and certificates: the glance reads what it tells of,
 * and no table.
 */
import assert from "node:assert/strict";
import * as ends from "../../../src/features/insight/expiries.store.ts";
import * as steps from "../../../src/features/insight/first-steps.store.ts";
import { countAsked } from "../../../src/features/key-requests/asked-requests.store.ts";
import {
  LOOKED_AT,
  newestApprovals,
  newestDeclines,
} from "../../../src/features/key-requests/decision-times.store.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import { explaining, type Plan, testFilled } from "../../support/postgres-plans.ts";

const org_id = "org";
const ROWS = 20_000;
const now = "2026-01-01T00:00:00.000Z";

/** Keys and certificates that end one an hour. */
const FILL = [
  `insert into credentials
    (org_id, key_id, kind, state, developer_id, request_id, plans, mask, attempt_id, issued_at, issued_by, expires_at)
    select '${org_id}', 'object-' || n, 'key', 'active', 'ada', '', '[]', '', '', '2025-01-01T00:00:00.000Z', '',
      to_char(timestamp '2025-12-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
    from generate_series(0, ${ROWS}) as n`,
  `insert into certificates
    (org_id, fingerprint, position, kind, not_before, not_after, subject_key, head, tail, details, search, renewal_names)
    select '${org_id}', 'f' || n, n, case when n % 2 = 0 then 0 else 2 end, '2025-01-01T00:00:00Z',
      to_char(timestamp '2025-12-01' + n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      'cn' || n, '', '', '', '', 'names' || n
    from generate_series(0, ${ROWS}) as n`,
  `insert into key_requests
    (org_id, id, state, approved, by_user, instant, for_plan, head, tail, sent_catalogues, issued_at, decided_at)
    select '${org_id}', lpad(n::text, 24, '0'), case when n % 2 = 0 then 'issued' else 'declined' end,
      1 - n % 2, 'dev', at || '.000000000Z', 'plan', '', '', '[]',
      case when n % 2 = 0 then at || '.000Z' end, case when n % 2 = 1 then at || '.000Z' end
    from (select n, to_char(timestamp '2025-12-31' - n * interval '20 minutes', 'YYYY-MM-DD"T"HH24:MI:SS') as at
      from generate_series(0, ${ROWS}) as n) as asked`,
  ...[0, 7, 10, 13, 16].map((length, level) =>
    `insert into list_counts (org_id, list, level, bucket, shard, n)
      select org_id, 'key_requests/' || state || '/' || approved, ${level},
        substr(instant, 1, ${length}), 0, count(*) from key_requests group by 1, 2, 4`
  ),
  "vacuum analyze",
];

const month = { org_id, since: "2025-12-01T00:00:00.000Z", until: "2026-01-01" };
const before = { org_id, since: "2025-01-01T00:00:00.000Z", until: "2025-12-01T00:00:00.000Z" };

/** Each with the most rows that it may take out of tables, whatever there is. */
const calls: Record<string, [most: number, (db: Connection) => Promise<unknown>]> = {
  // Three parts of 1,000 at most.
  "ends of keys": [3000, (db) => ends.countKeyEnds(db, org_id, [now, "2027"])],
  "keys that end next": [8, (db) => ends.keysEnding(db, { org_id, now }, 4)],
  "certificates that end next": [
    16,
    (db) => ends.certificatesEnding(db, org_id, [0, 2], "2026-01-01T00:00:00Z", 4),
  ],
  // 1,000 of each kind, and for each whether one follows.
  "certificates that are to be renewed": [
    4000,
    (db) =>
      ends.dueCertificates(db, org_id, [0, 2], {
        from: "2026-01-01T00:00:00Z",
        to: "2027-01-01T00:00:00Z",
        now: "2026-01-01T00:00:00Z",
      }, false),
  ],
  // 36 of each kind and day.
  "approvals of a month": [1200, (db) => newestApprovals(db, month)],
  "declines of a month": [1200, (db) => newestDeclines(db, month)],
  "the newest approvals of many": [LOOKED_AT, (db) => newestApprovals(db, before)],
  "the newest declines of many": [LOOKED_AT, (db) => newestDeclines(db, before)],
  // Of two lists a year's months, a month's days, a day's hours and an hour's minutes.
  "requests that were asked": [
    2 * (12 + 31 + 24 + 60),
    (db) => countAsked(db, org_id, "2025-12-23T12:30", "2025-12-30T12:30"),
  ],
  "access tokens": [0, (db) => steps.standingTokens(db, { org_id })],
  "the newest mail": [0, (db) => steps.lastMailed(db, { org_id })],
};

testFilled(
  "postgres: the glance reads what it tells of, however much there is",
  FILL,
  async (reader, client) => {
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      await client.query(`set plan_cache_mode = ${mode}`);
      for (const [name, [most, ask]] of Object.entries(calls)) {
        let nodes: Plan[] = [];
        await ask(explaining(reader, client, (plan) => nodes = plan));
        const read = readIn(nodes);
        assert.ok(
          read <= most,
          `${mode}, ${name}: ${read} rows of ${most}\n${JSON.stringify(nodes)}`,
        );
      }
    }
  },
);

/** Rows that the nodes of a plan took out of tables. */
function readIn(nodes: Plan[]): number {
  return nodes.filter((node) => node["Relation Name"] !== undefined).reduce(
    (sum, node) =>
      sum + ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)) *
        (node["Actual Loops"] ?? 1),
    0,
  );
}
