import { type RawBuilder, sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { IDS, parts } from "./plan-ids.store.ts";

/** Keys, and requests, of one plan are counted up to here. */
const COUNTED = 1000;

/** The counts of a plan, up to COUNTED of each; without revoked keys. */
interface PlanCounts {
  id: string;
  keys: number;
  pending_requests: number;
}

const countsSql = statement<Record<string, string>>()<PlanCounts>((db, p) => {
  const ids = Array.from({ length: IDS }, (_, i) => p[`id${i}`]);
  // A plan's rows stand under the id that was sent. Each part ends at the limit, so that none is
  // read whole.
  const underBoth = (part: (id: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    sql`select * from (${part(sql`p.id`)} limit ${sql.lit(COUNTED)}) as a
      union all select * from (${part(sql`p.given_id`)} and p.given_id <> p.id
        limit ${sql.lit(COUNTED)}) as b`;
  const keysIn = (state: string) =>
    underBoth((id) =>
      sql`select l.key_id from credential_plans as l where l.org_id = p.org_id
        and l.plan_id = ${id} and l.state = ${sql.lit(state)}`
    );
  // By name: SQLite takes count(*) of such a union for one that is the same for every plan.
  const pending = underBoth((id) =>
    sql`select r.id from key_requests as r where r.org_id = p.org_id and r.for_plan = ${id}
      and r.state = 'pending'`
  );
  return {
    compile: () =>
      sql<PlanCounts>`select p.id,
        (select count(distinct key_id) from (${keysIn("active")} union all ${
        keysIn("suspended")
      }) as counted) as keys,
        (select count(id) from (${pending}) as counted) as pending_requests
        from plans as p where p.org_id = ${p.org_id} and p.id in (${sql.join(ids)})`.compile(db),
  };
});

/** The counts of each of these plans, by `_id`. */
export async function countsOfPlans(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, PlanCounts>> {
  const counts = new Map<string, PlanCounts>();
  for (const params of parts(org_id, ids)) {
    for (const { id, keys, pending_requests } of await db.rows(countsSql, params)) {
      counts.set(id, {
        id,
        keys: Math.min(keys, COUNTED),
        pending_requests: Math.min(pending_requests, COUNTED),
      });
    }
  }
  return counts;
}

const namesOf = (isLiving: boolean) =>
  statement<Record<string, string>>()((db, p) => {
    const named = db.selectFrom("plan_ids as i")
      .innerJoin(
        "plans as p",
        (join) => join.onRef("p.org_id", "=", "i.org_id").onRef("p.id", "=", "i.plan_id"),
      )
      .select(["i.id", "p.name"]).where("i.org_id", "=", p.org_id as string)
      // as: parts gives every one of them.
      .where("i.id", "in", Array.from({ length: IDS }, (_, n) => p[`id${n}`] as string));
    return isLiving ? named.where("p.deleted_at", "is", null) : named;
  });

const namesBy = (isLiving: boolean) => {
  const namesSql = namesOf(isLiving);
  return async (db: Connection, org_id: string, ids: readonly string[]) => {
    const names = new Map<string, string>();
    for (const params of parts(org_id, ids)) {
      for (const { id, name } of await db.rows(namesSql, params)) names.set(id, name);
    }
    return names;
  };
};

/** The names of those plans, by either id, that are not deleted. By the id that was given. */
export const namesOfPlans = namesBy(true);

/** As `namesOfPlans`, with the last names of deleted plans. */
export const namesOfEveryPlan = namesBy(false);
