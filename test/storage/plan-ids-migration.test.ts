/** Plans that were there before have 24 hex after it, and keep their old id. */
import assert from "node:assert/strict";
import { planIdsOf } from "../../src/features/plans/plan-ids.store.ts";
import { findPlanView, readPlan } from "../../src/features/plans/plans.store.ts";
import { versionTableSql } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/list.ts";
import { builders, type Dialect, statement } from "../../src/storage/statement.ts";
import { emptyStore, runSql } from "../support/stores.ts";

const HEX = "5ead7120575961000181867f";
const usesSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("quota_uses").select(["org_id", "plan_id", "used"]).orderBy("used")
);

/** What the release before would have left: its schema, plans and what was used of their quotas. */
function before(dialect: Dialect): string[] {
  const ours = migrations.find((one) => one.name === "plan-ids")?.version ?? 0;
  const earlier = migrations.filter(({ version }) => version < ours);
  const plan = (org: string, id: string, deleted = "null") =>
    `insert into plans (org_id, id, name, auth_type, date_created, document, deleted_at)
     values ('${org}', '${id}', '${id}', 'authToken', '2026-01-31T09:00:00.000Z',
       '{"_id":"${id}","id":"${id}","name":"${id}","active":false}', ${deleted})`;
  const use = (org: string, id: string, used: number) =>
    `insert into quota_uses (org_id, key_id, plan_id, period, used)
     values ('${org}', 'key', '${id}', 0, ${used})`;
  return [
    versionTableSql(dialect),
    ...earlier.flatMap((one) =>
      one.statements(builders[dialect], dialect).map((query) => query.compile().sql)
    ),
    ...earlier.map(({ version, name }) =>
      `insert into schema_versions (version, name, oldest_code, applied_at)
       values (${version}, '${name}', 1, '')`
    ),
    plan("org", "gold"),
    plan("org", HEX),
    plan("org", HEX.toUpperCase(), "'2026-02-01T09:00:00.000Z'"),
    plan("other", "gold"),
    use("org", "gold", 1),
    use("org", HEX, 2),
    use("other", "gold", 3),
    use("org", "of nobody", 4),
  ];
}

for (const engine of ["sqlite", "postgres"] as const) {
  Deno.test({
    name: `${engine}: the schema of plan ids gives every plan 24 hex, and keeps what it was called`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using store = await emptyStore(engine);
      await runSql(store.location, before(engine));
      const { reader } = await store.open();
      const ids = await planIdsOf(reader, "org", ["gold", HEX, HEX.toUpperCase(), "of nobody"]);
      assert.equal(ids.size, 3);
      const gold = ids.get("gold");
      // 2026-01-31T09:00:00Z, the second of its creation.
      assert.match(gold?._id ?? "", /^697dc490[0-9a-f]{16}$/);
      assert.equal(gold?.id, "gold");
      assert.deepEqual(ids.get(HEX), { _id: HEX, id: HEX });
      assert.equal(ids.get(HEX.toUpperCase())?.id, HEX.toUpperCase());
      const others = (await planIdsOf(reader, "other", ["gold"])).get("gold");
      assert.notEqual(others?._id, gold?._id);
      for (const id of ["gold", gold?._id ?? ""]) {
        const row = await findPlanView(reader, { org_id: "org", id });
        assert.ok(row);
        const { _id, id: own, name, active, is_inactive } = readPlan(row);
        assert.deepEqual({ _id, id: own }, gold);
        assert.deepEqual({ name, active, is_inactive }, {
          name: "gold",
          active: false,
          is_inactive: true,
        });
      }
      assert.equal(
        await findPlanView(reader, { org_id: "org", id: HEX.toUpperCase() }),
        undefined,
      );
      assert.deepEqual((await reader.rows(usesSql, {})).map((row) => ({ ...row })), [
        { org_id: "org", plan_id: gold?._id, used: 1 },
        { org_id: "org", plan_id: HEX, used: 2 },
        { org_id: "other", plan_id: others?._id, used: 3 },
        { org_id: "org", plan_id: "of nobody", used: 4 },
      ]);
    },
  });
}
