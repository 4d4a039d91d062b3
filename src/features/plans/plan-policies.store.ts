import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { sizedParts } from "./plan-ids.store.ts";

/** The value in place of a plan's id for the policy of all plans without their own. */
export const DEFAULT_POLICY = "";

const policiesSql = variants((size: number) =>
  statement<Record<string, string>>()((db, p) =>
    db.selectFrom("plan_ids as i")
      .innerJoin(
        "approval_policies as a",
        (join) => join.onRef("a.org_id", "=", "i.org_id").onRef("a.plan", "=", "i.plan_id"),
      )
      .select(["i.id as named", "a.terms"])
      .where("i.org_id", "=", p.org_id as string)
      // as: parts gives every one of them.
      .where("i.id", "in", Array.from({ length: size }, (_, n) => p[`id${n}`] as string))
      .unionAll(
        db.selectFrom("approval_policies").select(["plan as named", "terms"])
          .where("org_id", "=", p.org_id as string).where("plan", "=", DEFAULT_POLICY),
      )
  )
);

/**
 * The terms of each plan's approval policy as they are stored, its own or the default; undefined:
 * it has none.
 */
export async function policyTextsOf(
  db: Connection,
  org_id: string,
  plans: readonly string[],
): Promise<(string | undefined)[]> {
  const found = new Map<string, string>();
  for (const { size, params } of sizedParts(org_id, plans)) {
    for (const { named, terms } of await db.rows(policiesSql(size), params)) {
      found.set(named, terms);
    }
  }
  return plans.map((plan) => found.get(plan) ?? found.get(DEFAULT_POLICY));
}
