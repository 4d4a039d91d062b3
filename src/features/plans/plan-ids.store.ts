import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { PlanIds } from "./plan.ts";

/** How many ids one statement takes; longer lists are given in parts. */
export const IDS = 25;

const findSql = variants((size: number) =>
  statement<Record<string, string>>()((db, p) =>
    db.selectFrom("plan_ids as i")
      .innerJoin(
        "plans as p",
        (join) => join.onRef("p.org_id", "=", "i.org_id").onRef("p.id", "=", "i.plan_id"),
      )
      .select(["i.id as named", "p.id as _id", "p.given_id as id"])
      .where("i.org_id", "=", p.org_id as string)
      // as: parts gives every one of them.
      .where("i.id", "in", Array.from({ length: size }, (_, n) => p[`id${n}`] as string))
  )
);

/**
 * Both ids of each plan that is named by either; a deleted plan's too. By the id that was given:
 * one that the organisation never had is left out.
 */
export async function planIdsOf(
  db: Connection,
  org_id: string,
  named: readonly string[],
): Promise<Map<string, PlanIds>> {
  const found = new Map<string, PlanIds>();
  for (const { size, params } of sizedParts(org_id, named)) {
    for (const { named, _id, id } of await db.rows(findSql(size), params)) {
      found.set(named, { _id, id });
    }
  }
  return found;
}

/** Every id of the plans that either names, each once. An unknown id represents itself. */
export async function everyIdOf(
  db: Connection,
  org_id: string,
  named: readonly string[],
): Promise<string[]> {
  const found = await planIdsOf(db, org_id, named);
  return [
    ...new Set(named.flatMap((one) => {
      const ids = found.get(one);
      return ids ? [one, ids._id, ids.id] : [one];
    })),
  ];
}

/**
 * Statement parameters for ids in parts: `org_id`, `id0` … `id24`. Unused parameters are empty,
 * which names nothing.
 */
export function parts(org_id: string, ids: readonly string[]): Record<string, string>[] {
  return partsOf(org_id, ids, IDS);
}

/** Most requests and keys are for one plan: looking up what names nothing costs as much. */
const SIZES = [1, 4, IDS];

/**
 * The statement's parts with as many ids as `size` says: the smallest number that takes all, if one
 * does.
 */
export function sizedParts(
  org_id: string,
  ids: readonly string[],
): { size: number; params: Record<string, string> }[] {
  const size = SIZES.find((most) => most >= ids.length) ?? IDS;
  return partsOf(org_id, ids, size).map((params) => ({ size, params }));
}

function partsOf(org_id: string, ids: readonly string[], size: number): Record<string, string>[] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, part) => {
    const params: Record<string, string> = { org_id };
    for (let i = 0; i < size; i++) params[`id${i}`] = ids[part * size + i] ?? "";
    return params;
  });
}

const insertSql = statement<{ org_id: string; id: string; plan_id: string }>()((db, p) =>
  db.insertInto("plan_ids").values({ org_id: p.org_id, id: p.id, plan_id: p.plan_id })
    .onConflict((conflict) => conflict.doNothing())
);

/** Takes both ids for a plan. False where one of them is taken, be it by a plan that is gone. */
export async function takePlanIds(tx: Tx, org_id: string, { _id, id }: PlanIds): Promise<boolean> {
  for (const one of new Set([_id, id])) {
    if (await tx.change(insertSql, { org_id, id: one, plan_id: _id }) !== 1) return false;
  }
  return true;
}
