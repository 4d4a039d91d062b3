import { sql } from "kysely";
import { Failure } from "../../kernel/failure.ts";
import { countRow, listCounter, type Position } from "../../storage/list-counts.ts";
import { byWindow, cutWindow } from "../../storage/list-window.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { isUniqueViolation } from "../../storage/unique-violation.ts";
import { variants } from "../../storage/variants.ts";
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

/** A plan as answers are made of it. */
export interface ShownPlan {
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
  return row && rulesOf(readPlan(row), row.deleted_at !== null);
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
  countRow(tx, { org_id, list: PLANS, instant: date_created }, 1);
  return true;
}

/** The counter of an organisation's plans. */
export const planCounter = listCounter([PLANS]);

const shown = ["id", "name", "auth_type", "document", "date_created"] as const;

const shownSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("plans").select(shown).where("org_id", "=", p.org_id).where("id", "=", p.id)
    .where("deleted_at", "is", null)
);

/** The plan of this id, or undefined where there is none or it is gone. */
export function findShownPlan(
  db: Connection,
  org_id: string,
  id: string,
): Promise<ShownPlan | undefined> {
  return db.row(shownSql, { org_id, id });
}

const pageSql = byWindow((window) =>
  statement<{ org_id: string; before: string; skip: number }>()((db, p, dialect) => {
    const newest = db.selectFrom("plans").select(shown).where("org_id", "=", p.org_id)
      .where("deleted_at", "is", null).where("date_created", "<", p.before)
      .orderBy("date_created", "desc").orderBy("id", "desc");
    const order = ["date_created", "id"] as const;
    return cutWindow({ db, dialect }, newest, order, { ...window, skip: p.skip });
  })
);

const nextSql = variants((limit: number) =>
  statement<{ org_id: string; date_created: string; id: string }>()((db, p) =>
    db.selectFrom("plans").select(shown).where("org_id", "=", p.org_id)
      .where("deleted_at", "is", null)
      .where(sql<boolean>`(date_created, id) < (${p.date_created}, ${p.id})`)
      .orderBy("date_created", "desc").orderBy("id", "desc").limit(sql.lit(limit))
  )
);

const firstSql = variants((limit: number) =>
  statement<{ org_id: string }>()((db, p) =>
    db.selectFrom("plans").select(shown).select(planCounter.total(p.org_id).as("total"))
      .where("org_id", "=", p.org_id).where("deleted_at", "is", null)
      .where("date_created", "<", sql.lit("~"))
      .orderBy("date_created", "desc").orderBy("id", "desc").limit(sql.lit(limit))
  )
);

/** The newest `limit` plans, and how many there are; one round trip. */
export async function firstPlans(
  db: Connection,
  org_id: string,
  limit: number,
): Promise<{ rows: ShownPlan[]; total: number }> {
  const rows = await db.rows(firstSql(limit), { org_id });
  return { rows, total: Number(rows[0]?.total ?? 0) };
}

/** Up to `limit` plans from a position on, newest first. */
export function pageOfPlans(
  db: Connection,
  org_id: string,
  position: Position,
  limit: number,
): Promise<ShownPlan[]> {
  return db.rows(pageSql(limit, position.skip), { org_id, ...position });
}

/** Up to `limit` plans that come after this one, newest first; from the newest without it. */
export function plansAfter(
  db: Connection,
  org_id: string,
  last: { date_created: string; id: string } | undefined,
  limit: number,
): Promise<ShownPlan[]> {
  const { date_created, id } = last ?? { date_created: "~", id: "" };
  return db.rows(nextSql(limit), { org_id, date_created, id });
}

/** A stored plan as JSON text. */
export function showPlan(row: ShownPlan): string {
  return JSON.stringify(readPlan(row));
}

const lockSql = statement<{ org_id: string; id: string }>()((db, p, dialect) => {
  const query = db.selectFrom("plans").select(shown)
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("deleted_at", "is", null);
  // SQLite has one writer at a time and no such words.
  return dialect === "postgres" ? query.forUpdate() : query;
});

/** The plan, held until the transaction ends; undefined where there is none or it is gone. */
export async function lockPlan(tx: Tx, org_id: string, id: string): Promise<Plan | undefined> {
  const row = await tx.row(lockSql, { org_id, id });
  return row && readPlan(row);
}

const replaceSql = statement<
  { org_id: string; id: string; name: string; auth_type: string; document: string }
>()((db, p) =>
  db.updateTable("plans").set({ name: p.name, auth_type: p.auth_type, document: p.document })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Replaces a plan that this transaction holds. Throws `plan_name_taken`. */
export async function replacePlan(tx: Tx, org_id: string, plan: Plan): Promise<void> {
  const { id, name, auth_type } = plan;
  try {
    await tx.change(replaceSql, { org_id, id, name, auth_type, document: JSON.stringify(plan) });
  } catch (error) {
    throw isUniqueViolation(error) ? new Failure("plan_name_taken") : error;
  }
}

const deleteSql = statement<{ org_id: string; id: string; deleted_at: string }>()((db, p) =>
  db.updateTable("plans").set({ deleted_at: p.deleted_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("deleted_at", "is", null)
    .returning("date_created")
);

/** Marks a plan as gone and counts it out. False where there is none. */
export async function markDeleted(
  tx: Tx,
  org_id: string,
  id: string,
  deleted_at: string,
): Promise<boolean> {
  const row = await tx.row(deleteSql, { org_id, id, deleted_at });
  if (!row) return false;
  countRow(tx, { org_id, list: PLANS, instant: row.date_created }, -1);
  return true;
}

/** The plan of a row; what its document does not say has the value of an empty plan. */
export function readPlan(
  row: { id: string; name: string; auth_type: string; document: string },
): Plan {
  const { id, name, auth_type } = row;
  // as: documents are written from the contract's own type, whole or in part.
  const document = JSON.parse(row.document) as Partial<Plan>;
  return { ...emptyPlan(id, name), ...document, auth_type };
}
