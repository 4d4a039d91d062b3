/**
 * PostgreSQL at 60,000 requests: pages anywhere are found by indexes, walk little, and keep their
 * plans.
 */
import assert from "node:assert/strict";
import type pg from "pg";
import * as store from "../../../src/features/key-requests/key-requests.store.ts";
import { POSTGRES_SHARDS } from "../../../src/storage/pending-counts.ts";
import type { Statement } from "../../../src/storage/statement.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import { explaining, type Plan, testFilled } from "../../support/postgres-plans.ts";

const ROWS = 60_000;
const org_id = "org";
/** Requests of another organisation, all of one minute. */
const MINUTE = 700;
const FILL = [
  `insert into key_requests
    (org_id, id, state, approved, by_user, instant, for_plan, head, tail, sent_catalogues)
    select case when n % 10 = 9 then 'other' else '${org_id}' end, lpad(n::text, 24, '0'),
      case when n % 3 = 0 then 'issued' when n % 50 = 1 then 'declined' else 'pending' end,
      case when n % 3 = 0 then 1 else 0 end, 'dev-' || n % 3000,
      to_char(timestamp '2024-01-01' + n * interval '17 minutes', 'YYYY-MM-DD"T"HH24:MI:SS') ||
        '.000000000Z', 'plan', repeat('h', 300), repeat('t', 300), '[]'
    from generate_series(1, ${ROWS}) as n`,
  `insert into key_requests
    (org_id, id, state, approved, by_user, instant, for_plan, head, tail, sent_catalogues)
    select 'minute', lpad(n::text, 24, '0'), 'pending', 0, 'dev', '2026-01-01T00:00:00.000000000Z',
      'plan', '', '', '[]' from generate_series(1, ${MINUTE}) as n`,
  `insert into developers (org_id, id, email_key, document, date_created, instant, inactive, worded)
    select '${org_id}', 'dev-' || n, 'dev-' || n, repeat('d', 300), '', '', 0, 1
    from generate_series(0, 2999) as n`,
  ...[0, 7, 10, 13, 16].map((length, level) =>
    `insert into list_counts (org_id, list, level, bucket, shard, n)
      select org_id, 'key_requests/' || state || '/' || approved, ${level},
        substr(instant, 1, ${length}), id::bigint / 7 % ${POSTGRES_SHARDS}, count(*)
      from key_requests group by 1, 2, 4, 5`
  ),
  "vacuum analyze",
];

testFilled(
  "postgres: a page in 60,000 requests walks little, by indexes, and is not planned anew",
  FILL,
  async (reader, client) => {
    await client.query("set plan_cache_mode = force_generic_plan");
    for (const view of ["all", "approved", "unapproved", "declined"] as const) {
      const total = await store.listViews[view].count(reader, org_id);
      assert.ok(total > 500);
      for (const part of [0, 0.5, 1]) {
        const seen = await pageWith(reader, client, view, Math.floor(part * (total - 10)));
        const walked = seen.flatMap(walkedRows);
        assert.deepEqual(walked.filter(({ how }) => !/Index|Bitmap Heap/.test(how)), [], view);
        const counters = sumOf(walked, "list_counts");
        // Once for the place alone, and once with the page.
        assert.ok(counters <= 2 * 31 * 3 * 3 * POSTGRES_SHARDS, `${view} ${part}: ${counters}`);
        assert.ok(sumOf(walked, "key_requests") <= 2 * (256 + 20), `${view} ${part}`);
      }
    }
    await findsByIds(reader, client);
    for (const [offset, found] of [[490, 10], [MINUTE - 5, 0], [MINUTE + 5, 0]] as const) {
      const page = await store.pageAt(reader, "minute", "all", offset, 10);
      assert.equal(page?.rows.length ?? 0, found, "what is too far in one minute, and the end");
    }
    await client.query("set plan_cache_mode = auto");
    await keepsPlans(reader, client);
  },
);

/** The plans of what reads a page. */
async function pageWith(reader: Connection, client: pg.Client, view: store.ListView, skip: number) {
  const seen: Plan[][] = [];
  const connection = explaining(reader, client, (plan) => seen.push(plan));
  await read(connection, view, skip);
  return seen;
}

/**
 * Requests that are asked for together, one of them of nobody: each is a step in an index, and so
 * is what stands beside it.
 */
async function findsByIds(reader: Connection, client: pg.Client): Promise<void> {
  const seen: Plan[][] = [];
  const connection = explaining(reader, client, (plan) => seen.push(plan));
  const ids = Array.from({ length: 31 }, (_, n) => `${1 + n * 1000}`.padStart(24, "0"));
  const found = await store.findRequestRows(connection, org_id, [...ids, '"{,}\\"']);
  assert.deepEqual(found.map(({ id }) => id).toSorted(), ids);
  const tables = seen.flat().filter((node) =>
    /^(key_requests|developers)$/.test(node["Relation Name"] ?? "")
  );
  assert.equal(tables.length, 2);
  assert.deepEqual(tables.filter((node) => !/Index/.test(node["Node Type"])), []);
  assert.equal(sumOf(walkedRows(tables), "key_requests"), ids.length);
}

async function read(connection: Connection, view: store.ListView, offset: number) {
  const place = await store.listViews[view].seekNewest(connection, org_id, offset);
  assert.ok(place.skip <= 256);
  const rows = await store.pageOfRequests(connection, org_id, view, place, 10);
  assert.equal(rows.length, 10);
  const atOnce = await store.pageAt(connection, org_id, view, offset, 10);
  assert.deepEqual(atOnce?.rows.map(({ id }) => id), rows.map(({ id }) => id));
  assert.equal(atOnce?.total, place.total);
  const first = await store.firstPage(connection, org_id, view, 10);
  assert.equal(first.rows[0]?.id === rows[0]?.id, offset === 0);
  assert.equal(first.total, place.total);
}

function walkedRows(nodes: Plan[]) {
  return nodes.filter((node) => /^(key_requests|list_counts)$/.test(node["Relation Name"] ?? ""))
    .map((node) => ({
      how: node["Node Type"],
      table: node["Relation Name"],
      rows: (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1) +
        (node["Rows Removed by Filter"] ?? 0),
    }));
}

function sumOf(walked: { table: string | undefined; rows: number }[], table: string): number {
  return walked.filter((one) => one.table === table).reduce((sum, { rows }) => sum + rows, 0);
}

/** PostgreSQL plans a statement five times before it may keep a plan. */
async function keepsPlans(reader: Connection, client: pg.Client): Promise<void> {
  const names = new Map<string, string>();
  const ask = async (statement: Statement<never, unknown>, params: object) => {
    const { sql, values } = statement.compile("postgres");
    const name = names.get(sql) ?? `p${names.size}`;
    names.set(sql, name);
    return (await client.query({ name, text: sql, values: values(params) })).rows;
  };
  const connection: Connection = {
    dialect: "postgres",
    // as (both): the statement's builder typed the columns that it selects.
    rows: async (s, p) => await ask(s, p) as never,
    row: async (s, p) => (await ask(s, p))[0] as never,
    change: (s, p) => reader.change(s, p),
  };
  for (let offset = 100; offset < 45_000; offset += 1500) await read(connection, "all", offset);
  const { rows } = await client.query(
    "select name, custom_plans::int as n, statement from pg_prepared_statements",
  );
  assert.equal(rows.length, 4);
  for (const { n, statement } of rows) assert.equal(n, 5, `planned ${n} times: ${statement}`);
}
