/** PostgreSQL at 100,000 keys, few of them leaked: a page reads its own rows, each with its mark, by an index. */
import assert from "node:assert/strict";
import pg from "pg";
import {
  findKey,
  keySources,
  type ListWalk,
} from "../../../src/features/credentials/key-list.store.ts";
import { explaining } from "../../support/postgres-plans.ts";
import { testStore } from "../../support/stores.ts";

const org_id = "org";
const states = ["active"] as const;
const walks: ListWalk[] = [
  { by: "all", states },
  { by: "developer", developer_id: "dev-7", states },
  { by: "plan", plan_ids: ["plan"], states },
];

/** One key a minute has leaked. */
const FILL = [
  `insert into credentials (org_id, key_id, kind, state, developer_id, request_id, plans, mask, attempt_id,
      issued_at, issued_by, algorithm)
    select '${org_id}', lpad(to_hex(n), 64, '0'), 'token', 'active', 'dev-' || n % 100, '', '["plan"]', '', '',
      to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'), 'user', 'sha256'
    from generate_series(1, 100000) as n`,
  `insert into credential_plans (org_id, plan_id, state, issued_at, key_id)
    select org_id, 'plan', state, issued_at, key_id from credentials`,
  `insert into leaks (org_id, object, object_id, action, reported_at, reported_by, url)
    select org_id, 'credential', key_id, 'tell', issued_at, '', '' from credentials
    where issued_at like '%:00.000Z'`,
  "vacuum analyze",
];

Deno.test({
  name:
    "postgres: a page of 100,000 keys finds the marks of its own keys by their index, and no others",
  // The shared PostgreSQL outlives the single test.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using at = await testStore("postgres", []);
    const { reader } = await at.open();
    assert.ok("url" in at.location);
    const client = new pg.Client({ connectionString: at.location.url });
    await client.connect();
    try {
      for (const sql of FILL) await client.query(sql);
      // Which of two cheap ways it takes hangs on its sample; what has no index is read whole all the same.
      await client.query(
        "set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off",
      );
      let seen = 0;
      const watched = explaining(reader, client, (nodes, sql) => {
        const context = `${sql}\n${JSON.stringify(nodes)}`;
        for (const node of nodes) {
          assert.doesNotMatch(node["Node Type"], /Seq Scan|Sort/, context);
          const read = (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1);
          assert.ok(read + (node["Rows Removed by Filter"] ?? 0) <= 101, context);
          if (node["Relation Name"] === "leaks") seen++;
        }
      });
      for (const walk of walks) {
        for (const source of keySources(watched, org_id, walk)) {
          const { rows } = await source({ sort: "~", id: "" }, 101);
          assert.equal(rows.length, 101);
          if (walk.by !== "developer") assert.ok(rows.some(({ row }) => row.leaked_at !== null));
        }
      }
      await findKey(watched, org_id, "key");
      assert.ok(seen >= walks.length, `${seen}`);
    } finally {
      await client.end();
    }
  },
});
