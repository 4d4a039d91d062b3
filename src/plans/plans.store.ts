import { statement } from "../storage/statement.ts";
import type { Connection, Tx } from "../storage/storage.ts";

/** A plan as it is stored; `document` holds the members of the interface's plan object as JSON text. */
export interface PlanRow {
  org_id: string;
  id: string;
  name: string;
  auth_type: string;
  document: string;
  date_created: string;
}

const findSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("plans").select(["id", "auth_type", "document"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** The plan's id, auth type and document, or undefined where the organisation has no such plan. */
export function findPlan(
  db: Connection,
  org_id: string,
  id: string,
): Promise<{ id: string; auth_type: string; document: string } | undefined> {
  return db.row(findSql, { org_id, id });
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

/** Adds a plan. False when the organisation has this id or this name already. */
export async function insertPlan(tx: Tx, plan: PlanRow): Promise<boolean> {
  return await tx.change(insertSql, { ...plan }) === 1;
}
