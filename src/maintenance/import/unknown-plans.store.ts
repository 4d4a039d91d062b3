import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

const unknownPlansSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("credential_plans as c")
    .select(["c.plan_id as plan", (eb) => eb.fn.countAll().as("keys")])
    .where("c.org_id", "=", p.org_id).where("c.state", "=", sql.lit("active"))
    .where((eb) =>
      eb.not(eb.exists(
        eb.selectFrom("plan_ids as i").select("i.id")
          .whereRef("i.org_id", "=", "c.org_id").whereRef("i.id", "=", "c.plan_id"),
      ))
    )
    .groupBy("c.plan_id").orderBy("c.plan_id")
);

/**
 * The plans that active keys name and that no one knows, with how many keys name each. Reads every
 * active key.
 */
export async function unknownPlansOf(
  db: Connection,
  org_id: string,
): Promise<{ plan: string; keys: number }[]> {
  const rows = await db.rows(unknownPlansSql, { org_id });
  return rows.map(({ plan, keys }) => ({ plan, keys: Number(keys) }));
}
