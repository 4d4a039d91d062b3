import { statement } from "../storage/statement.ts";
import type { Connection } from "../storage/storage.ts";
import type { PlanRules } from "./plan-rules.ts";

const findSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("plans").select(["id", "auth_type", "document"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** The rules of a plan, or undefined where the organisation has never had such a plan. */
export async function findPlanRules(
  db: Connection,
  org_id: string,
  id: string,
): Promise<PlanRules | undefined> {
  const row = await db.row(findSql, { org_id, id });
  if (!row) return undefined;
  // as: an object of the interface; what of it can be used is looked at below.
  const plan = JSON.parse(row.document) as Record<string, unknown>;
  const number = (name: string) => typeof plan[name] === "number" ? plan[name] : 0;
  return {
    id: row.id,
    active: plan.active !== false,
    deleted: false,
    auth_type: row.auth_type,
    rate: number("rate"),
    per: number("per"),
    quota_max: number("quota_max"),
    quota_renewal_rate: number("quota_renewal_rate"),
    access_rights: Object.keys(plan.access_rights ?? {}),
    key_expires_in: number("key_expires_in"),
    tags: Array.isArray(plan.tags) ? plan.tags.filter((tag) => typeof tag === "string") : [],
  };
}
