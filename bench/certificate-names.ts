/**
 * `deno run -A bench/certificate-names.ts`: pages of certificates by name, at the beginning and in
 * the middle, and `status=expiring`, made anew in process, on SQLite and on a PostgreSQL. The rows
 * are written by SQL. Each is measured before names are counted and after, with the time
 * that counting took. `--rows 1000,1000000`, `--turns 101`, `--engines sqlite,postgres`.
 */
import { parseArgs } from "node:util";
import { permissions } from "../src/contract/permissions.ts";
import type { ServerCall } from "../src/open-server.ts";
import { countNames } from "../src/features/certificates/certificate-care.transactions.ts";
import { findUncounted } from "../src/features/certificates/certificate-name-ranges.store.ts";
import { pageOf } from "../src/features/certificates/certificate-pages.ts";
import { type CertificateQuery, select } from "../src/features/certificates/selection.ts";
import type { Storage } from "../src/storage/storage.ts";
import { runSql, testStore } from "../test/support/stores.ts";
import "./machine.ts";

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "1000,1000000" },
    turns: { type: "string", default: "101" },
    engines: { type: "string", default: "sqlite,postgres" },
  },
});
const org_id = "0123456789abcdef01234567";
const NOW = Date.parse("2026-11-29T12:00:00Z");
const turns = Number(values.turns);

const queries: [string, CertificateQuery, (total: number) => number][] = [
  ["date_added, middle", { sort: "date_added" }, (total) => total >> 1],
  ["not_after, middle", { sort: "not_after" }, (total) => total >> 1],
  ["subject_cn, page 1", { sort: "subject_cn" }, () => 0],
  ["subject_cn, page 500", { sort: "subject_cn" }, () => 4990],
  ["subject_cn, middle", { sort: "subject_cn" }, (total) => total >> 1],
  ["subject_cn desc, middle", { sort: "subject_cn", direction: "desc" }, (total) => total >> 1],
  ["subject_cn, with keys, middle", { sort: "subject_cn", has_private: true }, (n) => n >> 1],
  ["subject_cn, authorities, middle", { sort: "subject_cn", is_ca: true }, (n) => n >> 1],
  ["status=expiring", { status: "expiring" }, () => 0],
  ["status=expiring, by name", { status: "expiring", sort: "subject_cn" }, () => 0],
];

console.log("| engine | rows | page | before | after |");
console.log("| --- | ---: | --- | ---: | ---: |");
for (const engine of values.engines.split(",") as ("sqlite" | "postgres")[]) {
  for (const rows of values.rows.split(",").map(Number)) await measure(engine, rows);
}

async function measure(engine: "sqlite" | "postgres", rows: number): Promise<void> {
  await using at = await testStore(engine);
  await (await at.open()).close();
  await runSql(at.location, fill(engine, rows));
  const storage = await at.open();
  // as: a page needs the store, the caller and the size of pages only.
  const ctx = {
    storage,
    settings: { pageSize: 10 },
    principal: { org_id, user_id: "", token_id: "", permissions },
  } as unknown as ServerCall;
  const before = await all(ctx);
  const { chunks, seconds, most } = await count(storage);
  const after = await all(ctx);
  for (const [i, [name]] of queries.entries()) {
    console.log(`| ${engine} | ${rows} | ${name} | ${before[i]} | ${after[i]} |`);
  }
  console.log(
    `| ${engine} | ${rows} | counted in ${chunks} transactions, ${seconds.toFixed(1)} s, ` +
      `the longest ${most.toFixed(0)} ms | | |`,
  );
  await storage.close();
}

/** Milliseconds of each page, the median. */
async function all(ctx: ServerCall): Promise<string[]> {
  const cells: string[] = [];
  for (const [, query, offsetOf] of queries) {
    const selection = select(query, NOW);
    const { total } = await pageOf(ctx, selection, "details", 0);
    const offset = Math.max(0, Math.min(offsetOf(total), total - 10));
    const times: number[] = [];
    // A page that is walked to takes seconds at a million.
    const ends = performance.now() + 10_000;
    while (times.length < turns && (times.length < 3 || performance.now() < ends)) {
      const started = performance.now();
      await pageOf(ctx, selection, "details", offset);
      times.push(performance.now() - started);
    }
    cells.push((times.sort((a, b) => a - b)[times.length >> 1] ?? 0).toFixed(2));
  }
  return cells;
}

async function count(storage: Storage) {
  const started = performance.now();
  let [chunks, most] = [0, 0];
  while (await findUncounted(storage.reader)) {
    const begun = performance.now();
    await storage.commit(countNames, null);
    most = Math.max(most, performance.now() - begun);
    chunks++;
  }
  return { chunks, most, seconds: (performance.now() - started) / 1000 };
}

/** Ends over ten years; one of ten has a key, one of fifty is an authority. No name is counted. */
function fill(engine: "sqlite" | "postgres", rows: number): string[] {
  const isFar = engine === "postgres";
  const series = isFar ? `generate_series(1::bigint, ${rows}) as numbers(n)` : "numbers";
  const recursive = isFar
    ? ""
    : `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${rows})`;
  const time = (days: string) =>
    isFar
      ? `to_char(timestamp '2023-11-30' + (${days}) * interval '1 day', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
      : `strftime('%Y-%m-%dT%H:%M:%SZ', '2023-11-30', (${days}) || ' days')`;
  const name = "'host-' || ((n * 7919) % 10000000) || '.example.org'";
  const prefix = isFar ? "lpad(n::text, 64, '0')" : "printf('%064d', n)";
  const place = isFar ? "lpad(position::text, 12, '0')" : "printf('%012d', position)";
  const kind = "(case when n % 10 = 0 then 2 else 0 end + case when n % 50 = 0 then 1 else 0 end)";
  const counters = (list: string, key: string, levels: number[]) =>
    levels.map((length, level) =>
      `insert into list_counts (org_id, list, level, bucket, shard, n)
        select org_id, '${list}/' || kind, ${level}, substr(${key}, 1, ${length}), 0, count(*)
        from certificates group by 1, 2, 4`
    );
  return [
    `insert into organisations (id, name, date_created) values ('${org_id}', 'bench', '')`,
    `insert into certificates (org_id, fingerprint, position, kind, not_before, not_after,
        subject_key, head, tail, details, search, renewal_names)
      ${recursive} select '${org_id}', ${prefix}, n, ${kind},
        ${time("n * 7919 % 3650 - 398")}, ${time("n * 7919 % 3650")}, ${name},
        '{"id":"x","issuer_cn":"","subject_cn":"', '","dns_names":[]}', '{}', ${name}, ''
      from ${series}`,
    ...counters("certificates", place, [0, 4, 6, 8, 10]),
    ...counters("certificate_ends", "not_after", [0, 4, 7, 10, 13]),
    ...[0, 1].map((level) =>
      `insert into certificate_name_ranges (org_id, level, key, position, n0, n1, n2, n3, counted)
        values ('${org_id}', ${level}, '', 0, 0, 0, 0, 0, 0)`
    ),
    ...isFar ? ["vacuum analyze"] : [],
  ];
}
