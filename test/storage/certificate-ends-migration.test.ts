/** Certificates that were there before they were counted by their end are counted after it. */
import assert from "node:assert/strict";
import { countByEnd } from "../../src/features/certificates/certificate-counts.store.ts";
import { refuseForeign, versionTableSql } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/list.ts";
import { builders, type Dialect, statement } from "../../src/storage/statement.ts";
import { emptyStore, runSql } from "../support/stores.ts";

const ours = migrations.find((one) => one.name === "certificate-ends");
const earlier = migrations.filter(({ version }) => version < (ours?.version ?? 0));

const ends = ["2026-01-31T23:59:59Z", "2026-02-01T00:00:00Z", "2026-02-01T00:00:01Z", "~", "~"];

const countersSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("list_counts").select(["org_id", "list", "level", "bucket", "n"])
    .where("list", "like", "certificate_ends/%").orderBy("org_id").orderBy("list")
    .orderBy("level").orderBy("bucket")
);

/** What the release before would have left: its schema, and certificates of two organisations. */
function before(dialect: Dialect): string[] {
  const certificate = (org_id: string, position: number, kind: number, not_after: string) =>
    `insert into certificates (org_id, fingerprint, position, kind, not_before, not_after,
       subject_key, head, tail, details, search)
     values ('${org_id}', 'f${position}', ${position}, ${kind}, '', '${not_after}', '', '', '', '', '')`;
  return [
    versionTableSql(dialect),
    ...earlier.flatMap((one) =>
      one.statements(builders[dialect], dialect).map((query) => query.compile().sql)
    ),
    ...earlier.map(({ version, name }) =>
      `insert into schema_versions (version, name, oldest_code, applied_at)
       values (${version}, '${name}', 1, '')`
    ),
    ...ends.map((end, i) => certificate("one", i + 1, 0, end)),
    certificate("one", 10, 3, "2026-01-31T22:00:00Z"),
    certificate("two", 11, 1, "2030-01-01T00:00:00Z"),
  ];
}

for (const engine of ["sqlite", "postgres"] as const) {
  Deno.test({
    name: `${engine}: the upgrade counts every certificate by its end, on each level`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using store = await emptyStore(engine);
      await runSql(store.location, before(engine));
      const { reader } = await store.open();
      const rows = (await reader.rows(countersSql, {}))
        .map(({ org_id, list, level, bucket, n }) => [org_id, list, level, bucket, Number(n)]);
      const of = (org_id: string, kind: number, buckets: [string, number][][]) =>
        buckets.flatMap((counts, level) =>
          counts.map(([bucket, n]) => [org_id, `certificate_ends/${kind}`, level, bucket, n])
        );
      assert.deepEqual(rows, [
        ...of("one", 0, [
          [["", 5]],
          [["2026", 3], ["~", 2]],
          [["2026-01", 1], ["2026-02", 2], ["~", 2]],
          [["2026-01-31", 1], ["2026-02-01", 2], ["~", 2]],
          [["2026-01-31T23", 1], ["2026-02-01T00", 2], ["~", 2]],
        ]),
        ...of("one", 3, [
          [["", 1]],
          [["2026", 1]],
          [["2026-01", 1]],
          [["2026-01-31", 1]],
          [["2026-01-31T22", 1]],
        ]),
        ...of("two", 1, [
          [["", 1]],
          [["2030", 1]],
          [["2030-01", 1]],
          [["2030-01-01", 1]],
          [["2030-01-01T00", 1]],
        ]),
      ]);
      assert.deepEqual(await countByEnd(reader, "one", [0, 3], [...ends, "~~"]), [
        1,
        2,
        3,
        4,
        4,
        6,
      ]);
    },
  });
}

Deno.test("the code before certificates were counted by their end refuses the new schema", () => {
  const applied = migrations.map(({ version, name, oldestCode }) => ({
    version,
    name,
    oldest_code: oldestCode,
  }));
  assert.throws(() => refuseForeign(applied, earlier), /needs code of schema \d+ or later/);
});
