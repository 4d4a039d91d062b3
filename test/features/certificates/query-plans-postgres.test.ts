/**
 * PostgreSQL at 50,000 certificates: every list by an index in its order, searches with pg_trgm and
 * without.
 */
import assert from "node:assert/strict";
import pg from "pg";
import * as lists from "../../../src/features/certificates/certificate-list.store.ts";
import {
  type CertificateQuery,
  finderOf,
  select,
  start,
} from "../../../src/features/certificates/selection.ts";
import type { Connection } from "../../../src/storage/storage.ts";
import { eventually } from "../../support/eventually.ts";
import { explaining, type Plan } from "../../support/postgres-plans.ts";
import { testStore } from "../../support/stores.ts";

const ROWS = 50_000;
const org_id = "org";
const NOW = Date.parse("2026-11-21T10:00:00Z");

/**
 * Names, times and kinds that are spread as in an inventory: few authorities, fewer keys, ten years
 * of ends.
 */
const FILL = `insert into certificates
  (org_id, fingerprint, position, kind, not_before, not_after, subject_key, head, tail, details, search)
  select case when n % 10 = 9 then 'other' else '${org_id}' end, lpad(to_hex(n), 64, '0'), n,
    case when n % 50 = 0 then 1 else 0 end + case when n % 100 < 3 then 2 else 0 end,
    to_char(t - interval '398 days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    to_char(t, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
    'host-' || n || '.example.org', repeat('h', 200), repeat('t', 200), repeat('d', 900),
    'host-' || n || E'.example.org\\nissuing ca ' || (n % 20) || E'\\n' || md5(n::text)
  from (select n, timestamp '2023-11-21' + (n::bigint * 7919 % 3650) * interval '1 day' as t
    from generate_series(1, ${ROWS}) as n) as rows`;

const queries: CertificateQuery[] = [undefined, "expiring", "not_yet_valid"].flatMap((status) =>
  [undefined, "not_after", "subject_cn"].flatMap((sort) =>
    [{}, { is_ca: true }, { has_private: true }, { q: "host-4999" }, { q: "issuing ca" }].flatMap((
      narrowed,
    ) =>
      (["asc", "desc"] as const).map((direction) =>
        // as: the words of the contract.
        ({ status, sort, direction, ...narrowed }) as CertificateQuery
      )
    )
  )
);

async function withRows(test: (reader: Connection, client: pg.Client) => Promise<void>) {
  await using at = await testStore("postgres", []);
  const storage = await at.open();
  assert.ok("url" in at.location);
  const client = new pg.Client({ connectionString: at.location.url });
  await client.connect();
  try {
    await client.query(FILL);
    await vacuumed(client);
    await test(storage.reader, client);
  } finally {
    await client.end();
  }
}

/**
 * Vacuums until every page is known to be visible to all: while another transaction of the server
 * is under way, such as one that vacuums by itself, none is, and index-only scans look dear.
 */
async function vacuumed(client: pg.Client): Promise<void> {
  await eventually("pages that all see", async () => {
    await client.query("vacuum analyze certificates");
    const { rows: [table] } = await client.query(
      "select relallvisible >= relpages as whole from pg_class where relname = 'certificates'",
    );
    return table.whole;
  });
}

function postgresTest(name: string, fn: () => Promise<void>): void {
  // The shared PostgreSQL outlives the single test.
  Deno.test({ name: `postgres: ${name}`, sanitizeOps: false, sanitizeResources: false, fn });
}

/** What a plan's node did, in a few words. */
function brief(node: Plan) {
  return {
    type: node["Node Type"],
    of: node["Index Name"] ?? node["Relation Name"],
    rows: node["Actual Rows"],
    loops: node["Actual Loops"],
    removed: node["Rows Removed by Filter"],
  };
}

postgresTest("50,000 certificates: no page reads the whole list, none sorts it", async () => {
  await withRows(async (reader, client) => {
    // Read whole, a list of this size costs about as much as a thousand rows of an index: which of
    // both PostgreSQL takes hangs on its sample. What has no index of its order is read whole, or
    // sorted, all the same.
    await client.query(
      "set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off",
    );
    let seen = 0;
    for (const query of queries) {
      const selection = select(query, NOW);
      const { descending, found, order } = selection;
      const connection = explaining(reader, client, (nodes, sql) => {
        seen++;
        const context = `${JSON.stringify(query)}\n${sql}\n${JSON.stringify(nodes.map(brief))}`;
        for (const node of nodes) {
          if (node["Relation Name"] !== "certificates") continue;
          assert.match(node["Node Type"], /Index|Bitmap Heap/, context);
          // A thousand from each of four arms; a search without the index of trigrams looks at
          // more.
          const walked = (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1);
          const removed = node["Rows Removed by Filter"] ?? 0;
          assert.ok(walked <= 4004, context);
          assert.ok(removed <= (selection.search === null ? 0 : ROWS), context);
        }
      });
      if (selection.search === null) {
        const page = { after: start(selection, descending), skip: 3, limit: 10, descending };
        await lists.foundCertificates(connection, org_id, selection, "details", page);
      }
      if (selection.search === null && order === found) {
        if (selection.times) await lists.countFound(connection, org_id, selection, 1001);
        continue;
      }
      const gather = { by: finderOf(selection), most: 1000 };
      const { matches } = await lists.gatherMatches(connection, org_id, selection, gather);
      const page = matches.slice(0, 10);
      await lists.certificatesAt(connection, org_id, selection, "details", page);
      const after = start({ found: order, times: null }, descending);
      await lists.gatherMatches(connection, org_id, selection, { by: order, most: 256, after });
    }
    assert.ok(seen > 100, `${seen} statements`);
  });
});

/** What a search finds, page and count; and the plans of both. */
async function search(reader: Connection, client: pg.Client, q: string) {
  const plans: Plan[] = [];
  const connection = explaining(reader, client, (nodes) => plans.push(...nodes));
  const selection = select({ q }, NOW);
  const gather = { by: finderOf(selection), most: 1001 };
  const { matches } = await lists.gatherMatches(connection, org_id, selection, gather);
  const page = matches.slice(0, 10);
  const rows = await lists.certificatesAt(connection, org_id, selection, "basics", page);
  return { n: matches.length, positions: rows.map((row) => Number(row.position)), plans };
}

postgresTest(
  "search: by trigrams where pg_trgm is, by walking the list where it is not",
  async () => {
    await withRows(async (reader, client) => {
      const rare = await search(reader, client, "host-49995.");
      assert.deepEqual([rare.n, rare.positions], [1, [49_995]]);
      assert.ok(rare.plans.some((node) => node["Index Name"] === "certificates_search"));
      const none = await search(reader, client, "no such text");
      assert.deepEqual([none.n, none.positions], [0, []]);
      const other = await search(reader, client, "host-49999.");
      assert.equal(other.n, 0, "another organisation's");
      const many = await search(reader, client, "issuing ca");
      assert.deepEqual([many.n, many.positions.slice(0, 3)], [1001, [1, 2, 3]]);

      await client.query("drop extension pg_trgm cascade");
      await client.query("vacuum analyze certificates");
      for (
        const [q, before] of [["host-49995.", rare], ["no such text", none], [
          "issuing ca",
          many,
        ]] as const
      ) {
        const after = await search(reader, client, q);
        assert.deepEqual([after.n, after.positions], [before.n, before.positions], q);
        assert.ok(after.plans.every((node) => node["Index Name"] !== "certificates_search"));
      }
    });
  },
);
