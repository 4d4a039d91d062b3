/**
 * PostgreSQL at 100,000 keys, few of them leaked: a page reads its own rows, each with its mark, by
 * an index.
 */
import assert from "node:assert/strict";
import { findKey, keySources, type ListWalk } from "../../../src/features/keys/key-list.store.ts";
import { labelsInUse } from "../../../src/features/keys/key-labels.store.ts";
import * as search from "../../../src/features/keys/key-search.store.ts";
import { explaining, testFilled } from "../../support/postgres-plans.ts";

const org_id = "org";
const states = ["active"] as const;
const walks: ListWalk[] = [
  { by: "all", states },
  { by: "developer", developer_id: "dev-7", states },
  { by: "plan", plan_ids: ["plan"], states },
  { by: "label", kind: "environment", label: "production" },
  { by: "label", kind: "tag", label: "payments" },
];
/** What is searched for, each with half of the keys or more behind it; the second page too. */
const searches: [search.FindKeys, string][] = [
  [search.findByIds, "000"],
  [search.findByMasks, "abcd"],
  [search.findByMaskEnds, "wxyz"],
  [search.findByWords, "check"],
  [search.findByDevelopers, "dev"],
];

/** One key a minute has leaked. */
const FILL = [
  `insert into credentials (org_id, key_id, kind, state, developer_id, request_id, plans, mask, attempt_id,
      issued_at, issued_by, algorithm, name, environment, tags)
    select '${org_id}', lpad(to_hex(n), 64, '0'), 'token', 'active', 'dev-' || n % 100, '', '["plan"]', 'abcd…wxyz', '',
      to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'), 'user', 'sha256',
      'Checkout', 'production', '["payments"]'
    from generate_series(1, 100000) as n`,
  `insert into credential_plans (org_id, plan_id, state, issued_at, key_id)
    select org_id, 'plan', state, issued_at, key_id from credentials`,
  `insert into credential_labels (org_id, kind, label, issued_at, key_id)
    select org_id, l.kind, l.label, issued_at, key_id from credentials,
      (values ('environment', 'production'), ('tag', 'payments'), ('tag', 'partner')) as l (kind, label)`,
  `insert into credential_words (org_id, word, key_id) select org_id, 'checkout', key_id from credentials`,
  `insert into developer_words (org_id, word, id)
    select '${org_id}', 'dev-' || n, 'dev-' || n from generate_series(0, 99999) as n`,
  `insert into leaks (org_id, object, object_id, action, reported_at, reported_by, url)
    select org_id, 'credential', key_id, 'tell', issued_at, '', '' from credentials
    where issued_at like '%:00.000Z'`,
  "vacuum analyze",
];

testFilled(
  "postgres: a page of 100,000 keys finds the marks of its own keys by their index, and no others",
  FILL,
  async (reader, client) => {
    // Which of two cheap ways it takes hangs on its sample.
    await client.query("set enable_hashjoin = off; set enable_mergejoin = off");
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
    // The keys of a few developers at a time are put in order.
    const found = explaining(reader, client, (nodes, sql) => {
      const context = `${sql}\n${JSON.stringify(nodes)}`;
      for (const node of nodes) {
        assert.doesNotMatch(node["Node Type"], /Seq Scan/, context);
        const read = (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1);
        assert.ok(read + (node["Rows Removed by Filter"] ?? 0) <= 2 * 101, context);
      }
    });
    for (const walk of walks) {
      for (const source of keySources(watched, org_id, walk)) {
        const { rows } = await source({ sort: "~", id: "" }, 101);
        assert.equal(rows.length, 101);
        if (walk.by !== "developer") assert.ok(rows.some(({ row }) => row.leaked_at !== null));
      }
    }
    for (const [find, term] of searches) {
      const isByDeveloper = find === search.findByDevelopers;
      const of = isByDeveloper ? found : watched;
      const first = await find(of, org_id, term, { place: { sort: "", id: "" }, limit: 101 });
      assert.equal(first.length, 101, find.name);
      const place = first.at(-1) ?? assert.fail();
      const second = await find(of, org_id, term, { place, limit: 101 });
      assert.equal(second.length, 101, find.name);
      const seen = [...first, ...second].map(({ key_id }) => key_id).filter((id) => id !== "");
      assert.equal(new Set(seen).size, seen.length);
    }
    assert.deepEqual(await labelsInUse(watched, { org_id, kind: "tag" }), ["partner", "payments"]);
    await findKey(watched, { org_id, key_id: "key" });
    assert.ok(seen >= walks.length, `${seen}`);
  },
);
