import { countRow } from "../storage/list-counts.ts";
import { statement } from "../storage/statement.ts";
import type { Connection, Tx } from "../storage/storage.ts";
import { emptyPlan, type Plan, type PlanRules, rulesOf } from "./plan.ts";

/** A plan as it is stored; `document` holds the members of the interface's plan object as JSON text. */
export interface PlanRow {
  org_id: string;
  id: string;
  name: string;
  auth_type: string;
  document: string;
  date_created: string;
}

/** The list in which plans are counted, by date_created: ours, so of one width. */
const PLANS = "plans";

const findSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("plans").select(["id", "auth_type", "deleted_at"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** The plan's id, auth type and whether it is gone; undefined where the organisation never had such a plan. */
export function findPlan(
  db: Connection,
  org_id: string,
  id: string,
): Promise<{ id: string; auth_type: string; deleted_at: string | null } | undefined> {
  return db.row(findSql, { org_id, id });
}

const rulesSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("plans").select(["id", "name", "auth_type", "document", "deleted_at"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** What a plan allows, one that is gone included; undefined where the organisation never had such a plan. */
export async function findPlanRules(
  db: Connection,
  org_id: string,
  id: string,
): Promise<PlanRules | undefined> {
  const row = await db.row(rulesSql, { org_id, id });
  return row && rulesOf(planOf(row), row.deleted_at !== null);
}

const insertSql = statement<{ [K in keyof PlanRow]: PlanRow[K] }>()((db, p) =>
  db.insertInto("plans").values({
    org_id: p.org_id,
    id: p.id,
    name: p.name,
    auth_type: p.auth_type,
    document: p.document,
    date_created: p.date_created,
  }).onConflict((conflict) => conflict.doNothing())
);

/** Adds a plan and counts it. False when the organisation has this id (be it of a plan that is gone) or this name. */
export async function insertPlan(tx: Tx, plan: PlanRow): Promise<boolean> {
  if (await tx.change(insertSql, { ...plan }) !== 1) return false;
  const { org_id, date_created } = plan;
  await countRow(tx, { org_id, list: PLANS, instant: date_created }, 1);
  return true;
}

/** The plan of a row; what its document does not say has the value of an empty plan. */
function planOf(row: { id: string; name: string; auth_type: string; document: string }): Plan {
  const { id, name, auth_type } = row;
  // as: documents are written from the contract's own type, whole or in part.
  const document = JSON.parse(row.document) as Partial<Plan>;
  return { ...emptyPlan(id, name), ...document, auth_type };
}
