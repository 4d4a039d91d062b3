import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { sizedParts } from "./plan-ids.store.ts";
import { type PlanRules, rulesOf } from "./plan.ts";
import { readPlan } from "./plans.store.ts";

const rulesSql = variants((size: number) =>
  statement<Record<string, string>>()((db, p) =>
    db.selectFrom("plan_ids as i")
      .innerJoin(
        "plans as p",
        (join) => join.onRef("p.org_id", "=", "i.org_id").onRef("p.id", "=", "i.plan_id"),
      )
      .select(["i.id as named", "p.id", "p.given_id", "p.name", "p.auth_type", "p.document"])
      .select("p.deleted_at")
      .where("i.org_id", "=", p.org_id as string)
      // as: sizedParts gives every one of them.
      .where("i.id", "in", Array.from({ length: size }, (_, n) => p[`id${n}`] as string))
  )
);

/**
 * What each of these plans allows, by the id that was given, which may be either; one that is gone
 * included. A plan that the organisation never had is left out.
 */
export async function rulesOfPlans(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, PlanRules>> {
  const found = new Map<string, PlanRules>();
  for (const { size, params } of sizedParts(org_id, ids)) {
    for (const { named, deleted_at, ...row } of await db.rows(rulesSql(size), params)) {
      found.set(named, rulesOf(readPlan(row), deleted_at !== null));
    }
  }
  return found;
}
