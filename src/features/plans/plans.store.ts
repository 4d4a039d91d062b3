import { type SelectQueryBuilder, sql } from "kysely";
import { Failure } from "../../kernel/failure.ts";
import { countRow, listCounter, type Position } from "../../storage/list-counts.ts";
import { byWindow, cutWindow } from "../../storage/list-window.ts";
import type { Database } from "../../storage/schema.ts";
import { columnsOf, rowOf } from "../../storage/rows.ts";
import { type QueryBuilder, type SqlValue, statement } from "../../storage/statement.ts";
import { change, held, one } from "../../storage/statement-functions.ts";
import { finds, updates } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { isUniqueViolation } from "../../storage/unique-violation.ts";
import { variants } from "../../storage/variants.ts";
import { IDS, parts, sizedParts, takePlanIds } from "./plan-ids.store.ts";
import {
  additionsOf,
  type AdditionsRow,
  emptyPlan,
  type Plan,
  type PlanRules,
  rulesOf,
  type StoredMembers,
} from "./plan.ts";

/**
 * A plan as it is stored: `id` is the interface's `_id`, `given_id` its `id`; `document` holds the
 * members of the interface's plan object as JSON text.
 */
export interface PlanRow {
  org_id: string;
  id: string;
  given_id: string;
  name: string;
  auth_type: string;
  document: string;
  date_created: string;
  /** Absent: `key_expires_in` is the life of each key. */
  expiry_applies_to?: string | null;
  /** Absent or null: any number. */
  max_keys?: number | null;
  /** Absent or null: none. */
  price_text?: string | null;
}

/** A plan as answers are made of it. */
export interface PlanView extends AdditionsRow {
  id: string;
  given_id: string;
  name: string;
  auth_type: string;
  document: string;
  date_created: string;
}

/** The list in which plans are counted, by date_created: ours, so of one width. */
const PLANS = "plans";

type WithPlan = Database & { p: Database["plans"]; i: Database["plan_ids"] };

/** The plan that either id names. */
function named(db: QueryBuilder, p: { org_id: string; id: string }) {
  const byId = db.selectFrom("plan_ids as i").innerJoin(
    "plans as p",
    (join) => join.onRef("p.org_id", "=", "i.org_id").onRef("p.id", "=", "i.plan_id"),
  );
  return byId.where("i.org_id", "=", p.org_id).where("i.id", "=", p.id);
}

/**
 * Both ids of the plan that either of them names, its auth type and whether it is gone; undefined
 * where the organisation never had such a plan.
 */
export const findPlan = one((db, p: { org_id: string; id: string }) =>
  named(db, p).select(["p.id", "p.given_id", "p.auth_type", "p.deleted_at"])
);

const rulesSql = statement<{ org_id: string; id: string }>()((db, p) =>
  named(db, p).leftJoin(
    "plan_switches as s",
    (join) => join.onRef("s.org_id", "=", "p.org_id").onRef("s.plan", "=", "p.id"),
  )
    .select(["p.id", "p.given_id", "p.name", "p.auth_type", "p.document", "p.deleted_at"])
    .select(["s.decided", "p.expiry_applies_to"])
);

/**
 * The rules of the plan that either id names, a deleted one included; undefined if the organisation
 * never had such a plan.
 */
export async function findPlanRules(
  db: Connection,
  org_id: string,
  id: string,
): Promise<PlanRules | undefined> {
  const row = await db.row(rulesSql, { org_id, id });
  if (!row) return undefined;
  const { expiry_applies_to } = additionsOf({ ...row, max_keys: 0, price_text: null });
  return rulesOf(
    readPlan(row),
    row.deleted_at !== null,
    row.decided === "here",
    expiry_applies_to,
  );
}

const insertSql = statement<{ [K in keyof PlanRow]-?: PlanRow[K] & SqlValue }>()((db, p) =>
  db.insertInto("plans").values(rowOf("plans", p, "deleted_at"))
    .onConflict((conflict) => conflict.doNothing())
);

/** Adds a plan, counts it. Throws `plan_id_taken`, also by a plan gone, and `plan_name_taken`. */
export async function insertPlan(tx: Tx, plan: PlanRow): Promise<void> {
  const { org_id, id, given_id, date_created, expiry_applies_to = null } = plan;
  const { max_keys = null, price_text = null } = plan;
  if (!await takePlanIds(tx, org_id, { _id: id, id: given_id })) {
    throw new Failure("plan_id_taken");
  }
  if (await tx.change(insertSql, { ...plan, expiry_applies_to, max_keys, price_text }) !== 1) {
    throw new Failure("plan_name_taken");
  }
  countRow(tx, { org_id, list: PLANS, instant: date_created }, 1);
}

/** The counter of an organisation's plans. */
export const planCounter = listCounter([PLANS]);

const columns = columnsOf("plans", "org_id", "deleted_at");

function selectView(query: SelectQueryBuilder<WithPlan, "p" | "i", Record<never, never>>) {
  return query.select(["p.id", "p.given_id", "p.name", "p.auth_type", "p.document"])
    .select(["p.date_created", "p.expiry_applies_to", "p.max_keys", "p.price_text"])
    .where("p.deleted_at", "is", null);
}

/** The plan that either id names, or undefined where there is none or it is gone. */
export const findPlanView = one((db, p: { org_id: string; id: string }) =>
  selectView(named(db, p))
);

const planViewsSql = statement<Record<string, string>>()((db, p) =>
  selectView(
    db.selectFrom("plan_ids as i").innerJoin(
      "plans as p",
      (join) => join.onRef("p.org_id", "=", "i.org_id").onRef("p.id", "=", "i.plan_id"),
    )
      // as: parts gives every one of them.
      .where("i.org_id", "=", p.org_id as string)
      .where("i.id", "in", Array.from({ length: IDS }, (_, n) => p[`id${n}`] as string)),
  ).select("i.id as named")
);

/** Those of these plans, by either id, that are not gone. By the id that was given. */
export async function planViewsOf(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, PlanView>> {
  const found = new Map<string, PlanView>();
  for (const params of parts(org_id, ids)) {
    for (const { named, ...row } of await db.rows(planViewsSql, params)) found.set(named, row);
  }
  return found;
}

const pageSql = byWindow((window) =>
  statement<{ org_id: string; before: string; skip: number }>()((db, p, dialect) => {
    const newest = db.selectFrom("plans").select(columns).where("org_id", "=", p.org_id)
      .where("deleted_at", "is", null).where("date_created", "<", p.before)
      .orderBy("date_created", "desc").orderBy("id", "desc");
    const order = ["date_created", "id"] as const;
    return cutWindow({ db, dialect }, newest, order, { ...window, skip: p.skip });
  })
);

const nextSql = variants((limit: number) =>
  statement<{ org_id: string; date_created: string; id: string }>()((db, p) =>
    db.selectFrom("plans").select(columns).where("org_id", "=", p.org_id)
      .where("deleted_at", "is", null)
      .where(sql<boolean>`(date_created, id) < (${p.date_created}, ${p.id})`)
      .orderBy("date_created", "desc").orderBy("id", "desc").limit(sql.lit(limit))
  )
);

const firstSql = variants((limit: number) =>
  statement<{ org_id: string }>()((db, p) =>
    db.selectFrom("plans").select(columns).select(planCounter.total(p.org_id).as("total"))
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
): Promise<{ rows: PlanView[]; total: number }> {
  const rows = await db.rows(firstSql(limit), { org_id });
  return { rows, total: Number(rows[0]?.total ?? 0) };
}

/** Up to `limit` plans from a position on, newest first. */
export function pageOfPlans(
  db: Connection,
  org_id: string,
  position: Position,
  limit: number,
): Promise<PlanView[]> {
  return db.rows(pageSql(limit, position.skip), { org_id, ...position });
}

/** Up to `limit` plans that come after this one, newest first; from the newest without it. */
export function plansAfter(
  db: Connection,
  org_id: string,
  last: { date_created: string; id: string } | undefined,
  limit: number,
): Promise<PlanView[]> {
  const { date_created, id } = last ?? { date_created: "~", id: "" };
  return db.rows(nextSql(limit), { org_id, date_created, id });
}

/** A stored plan as JSON text. */
export function planText(row: PlanView): string {
  return JSON.stringify(readPlan(row));
}

const lockSql = statement<{ org_id: string; id: string }>()(
  held((db, p) => selectView(named(db, p)), (query) => query.forUpdate("p")),
);

/**
 * The plan that either id names, held until the transaction ends; undefined where there is none or
 * it is gone.
 */
export async function lockPlan(tx: Tx, org_id: string, id: string): Promise<Plan | undefined> {
  const row = await tx.row(lockSql, { org_id, id });
  return row && readPlan(row);
}

const ADDITIONS = ["expiry_applies_to", "max_keys", "price_text"] as const;

/** The additions of the plan of this `_id`; undefined: there is none. */
export const findAdditions = one(finds("plans", { columns: ADDITIONS }));

/** Sets the additions of a plan that this transaction holds. */
export const setAdditions = change(updates("plans", ...ADDITIONS));

const replaceSql = statement<
  { org_id: string; id: string; name: string; auth_type: string; document: string }
>()((db, p) =>
  db.updateTable("plans").set({ name: p.name, auth_type: p.auth_type, document: p.document })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Replaces a plan that this transaction holds. Throws `plan_name_taken`. */
export async function replacePlan(tx: Tx, org_id: string, plan: Plan): Promise<void> {
  const { _id: id, name, auth_type } = plan;
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

/** Marks the plan with this `_id` as gone and counts it out. False where there is none. */
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
  row: Pick<PlanView, "id" | "given_id" | "name" | "auth_type" | "document">,
): Plan {
  const { id: _id, given_id: id, name, auth_type } = row;
  // as: documents are written from the contract's own type, whole or in part.
  const document = JSON.parse(row.document) as StoredMembers;
  const plan: Plan = { ...emptyPlan({ _id, id }, name), ...document, _id, id, auth_type };
  return { ...plan, is_inactive: !plan.active };
}

const planRulesSql = variants((size: number) =>
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
 * The rules of each of these plans, by the given id, which may be either; deleted ones included. A
 * plan that the organisation never had is left out.
 */
export async function rulesOfPlans(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, PlanRules>> {
  const found = new Map<string, PlanRules>();
  for (const { size, params } of sizedParts(org_id, ids)) {
    for (const { named, deleted_at, ...row } of await db.rows(planRulesSql(size), params)) {
      found.set(named, rulesOf(readPlan(row), deleted_at !== null));
    }
  }
  return found;
}
