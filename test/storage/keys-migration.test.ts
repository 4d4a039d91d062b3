/** Credentials that were there before the schema of keys stand in the lists by plan after it. */
import assert from "node:assert/strict";
import { versionTableSql } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/list.ts";
import { builders, type Dialect, statement } from "../../src/storage/statement.ts";
import { runSql, testStore } from "../support/stores.ts";

const listedSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("credential_plans").select(["org_id", "plan_id", "state", "issued_at", "key_id"])
    .orderBy("key_id").orderBy("plan_id")
);

/** What the release before would have left: its schema, and three credentials. */
function before(dialect: Dialect): string[] {
  const ours = migrations.find((one) => one.name === "keys")?.version ?? 0;
  const earlier = migrations.filter(({ version }) => version < ours);
  const credential = (key_id: string, state: string, plans: string) =>
    `insert into credentials (org_id, key_id, kind, state, developer_id, request_id, plans, mask,
       attempt_id, issued_at, issued_by)
     values ('org', '${key_id}', 'token', '${state}', 'dev', '', '${plans}', '', '', 'at', '')`;
  return [
    versionTableSql(dialect),
    ...earlier.flatMap((one) =>
      one.statements(builders[dialect], dialect).map((query) => query.compile().sql)
    ),
    ...earlier.map(({ version, name }) =>
      `insert into schema_versions (version, name, oldest_code, applied_at)
       values (${version}, '${name}', 1, '')`
    ),
    credential("a", "active", '["one"]'),
    credential("b", "revoked", '["one","two \\" words","one"]'),
    credential("c", "active", "[]"),
  ];
}

for (const engine of ["sqlite", "postgres"] as const) {
  Deno.test({
    name: `${engine}: the schema of keys lists every credential under each of its plans`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using store = await testStore(engine);
      await runSql(store.location, before(engine));
      const { reader } = await store.open();
      const row = (key_id: string, plan_id: string, state: string) => ({
        org_id: "org",
        plan_id,
        state,
        issued_at: "at",
        key_id,
      });
      assert.deepEqual((await reader.rows(listedSql, {})).map((one) => ({ ...one })), [
        row("a", "one", "active"),
        row("b", "one", "revoked"),
        row("b", 'two " words', "revoked"),
      ]);
    },
  });
}
