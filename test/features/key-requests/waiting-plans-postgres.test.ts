/**
 * PostgreSQL at 40,000 requests, of which many wait: what is due is found by
 * its own index, in its order, and no other row is read.
 */
import assert from "node:assert/strict";
import type pg from "pg";
import {
  DUE_AT_ONCE,
  isAnyDue,
  lockDue,
  setEnds,
} from "../../../src/features/key-requests/expiry.store.ts";
import { walkRequests } from "../../../src/features/key-requests/v1.store.ts";
import type { Connection, Tx } from "../../../src/storage/storage.ts";
import { explaining, type Plan, testFilled } from "../../support/postgres-plans.ts";

const org_id = "org";
/** Of ten requests three wait, of which one ends, as one did that was issued. */
const TIME = `to_char(timestamp '2026-01-01' + n * interval '1 minute',
  'YYYY-MM-DD"T"HH24:MI:SS') || '.000Z'`;
const FILL = [
  `insert into key_requests
    (org_id, id, state, approved, by_user, instant, for_plan, head, tail, sent_catalogues, assignee,
      expires_at, due_at)
    select '${org_id}', lpad(n::text, 24, '0'), case when n % 10 in (0, 8, 9) then 'pending' else 'issued' end,
      case when n % 10 in (0, 8, 9) then 0 else 1 end, 'dev-' || n % 3000,
      to_char(timestamp '2024-01-01' + n * interval '17 minutes', 'YYYY-MM-DD"T"HH24:MI:SS') ||
        '.000000000Z', 'plan', repeat('h', 300), repeat('t', 300), '[]', 'person-' || n % 400,
      t, t
    from (select n, case when n % 10 < 2 then ${TIME} end as t
      from generate_series(1, 40000) as n) as rows`,
  "vacuum analyze",
];
const BEFORE = "2025-01-01T00:00:00.000Z";
const AFTER = "2030-01-01T00:00:00.000Z";
/** An hour behind the first: six are due. */
const SOON = "2026-01-01T01:00:00.000Z";

testFilled(
  "postgres: of 40,000 requests a sweep and its lists read what they find, by their own indexes",
  FILL,
  async (reader, client) => {
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      await client.query(`set plan_cache_mode = ${mode}`);
      await looks(reader, client);
    }
    await walksInOrder(reader, client);
    await changesOne(reader, client);
  },
);

/** Whether anything is due, and what. */
async function looks(reader: Connection, client: pg.Client): Promise<void> {
  for (const [now, found] of [[BEFORE, 0], [SOON, 6], [AFTER, DUE_AT_ONCE]] as const) {
    const asked = await watched(reader, client, (db) => isAnyDue(db, { org_id, now }));
    assert.equal(asked.result, found > 0);
    assertRead(asked.plans, "key_requests_due", found > 0 ? 1 : 0);
    // as: of a transaction it takes the connection alone.
    const held = await watched<readonly unknown[]>(
      reader,
      client,
      (db) => lockDue(db as Tx, { org_id, now }),
    );
    assert.equal(held.result.length, found);
    assertRead(held.plans, "key_requests_due", found);
  }
}

/** The lists of what waits, from a place in the middle. */
async function walksInOrder(reader: Connection, client: pg.Client): Promise<void> {
  const place = { sort: "2024-08-01T00:00:00.000000000Z", id: "" };
  for (
    const [walk, index] of [
      [{ walk: "unapproved" }, "key_requests_approved"],
      [{ walk: "assignee", named: "person-8" }, "key_requests_assigned"],
    ] as const
  ) {
    for (const newestFirst of [true, false]) {
      const page = { newestFirst, place, limit: 21 };
      const { result, plans } = await watched(
        reader,
        client,
        (db) => walkRequests(db, org_id, walk, page),
      );
      assert.equal(result.length, 21);
      assertRead(plans, index, 21);
    }
  }
}

/** What a sweep writes, it writes to one row that it finds by its id. */
async function changesOne(reader: Connection, client: pg.Client): Promise<void> {
  const id = "10".padStart(24, "0");
  for (
    const change of [
      (tx: Tx) => setEnds(tx, { org_id, id, expires_at: AFTER, due_at: AFTER }),
    ]
  ) {
    const plans: Plan[] = [];
    const tx = {
      dialect: reader.dialect,
      change: async (statement: Parameters<Tx["change"]>[0], params: never) => {
        const { sql, values } = statement.compile("postgres");
        const text = `explain (analyze, format json) ${sql}`;
        const { rows: [row] } = await client.query(text, values(params) as string[]);
        plans.push(row["QUERY PLAN"][0].Plan);
        return 1;
      },
    };
    // as: it changes one row, and does nothing else.
    assert.equal(await change(tx as unknown as Tx), true);
    const [found] = plans[0]?.Plans ?? [];
    assert.match(found?.["Node Type"] ?? "", /Index Scan/, JSON.stringify(plans));
    assert.equal((found?.["Actual Rows"] ?? 0) + (found?.["Rows Removed by Filter"] ?? 0), 1);
  }
}

async function watched<Result>(
  reader: Connection,
  client: pg.Client,
  call: (db: Connection) => Promise<Result>,
): Promise<{ result: Result; plans: Plan[] }> {
  const plans: Plan[] = [];
  const result = await call(explaining(reader, client, (nodes) => plans.push(...nodes)));
  return { result, plans };
}

/** That nothing but this index was walked in its order, no further than to what was found. */
function assertRead(plans: readonly Plan[], index: string, rows: number): void {
  const context = JSON.stringify(plans);
  assert.deepEqual(plans.filter((node) => /Sort|Seq Scan/.test(node["Node Type"])), [], context);
  const walked = plans.filter((node) => node["Relation Name"] === "key_requests");
  assert.deepEqual(walked.map((node) => node["Index Name"]), [index], context);
  const [{ "Actual Rows": read = 0, "Rows Removed by Filter": removed = 0 } = {}] = walked;
  assert.ok(read + removed <= rows, `${read} and ${removed} for ${rows}: ${context}`);
}
