import { type RawBuilder, sql } from "kysely";
import { all } from "../../storage/statement-functions.ts";
import { UNKNOWN_COUNTED, type UnknownPlan } from "./unknown-plans.ts";

/**
 * Plans of every organisation that active keys name and no one knows, UNKNOWN_COUNTED at most, by
 * organisation and id.
 */
export const unknownPlansOfAll = all((db) => ({
  compile: () => unknownIn(sql`organisations as o`).compile(db),
}));

/** The unknown plans of a store whose schema is older than the two ids of plans. */
export const unknownPlansOfAllByOneId = all((db) => ({
  compile: () => unknownIn(sql`organisations as o`, BY_ONE_ID).compile(db),
}));

/** The unknown plans of one organisation. */
export const unknownPlansOf = all((db, p: { org_id: string }) => ({
  compile: () => unknownIn(sql`organisations as o where o.id = ${p.org_id}`).compile(db),
}));

/** How a plan is found by the name that a key gives it, now and before plans had two ids. */
const BY_EITHER_ID = `left join plan_ids as i on i.org_id = n.org_id and i.id = n.plan_id
        left join plans as p on p.org_id = i.org_id and p.id = i.plan_id`;
const BY_ONE_ID = "left join plans as p on p.org_id = n.org_id and p.id = n.plan_id";

/**
 * Steps from plan to plan in the primary key of credential_plans, and looks each one up: it costs
 * by the number of plans that keys name, never by that of keys.
 */
function unknownIn(
  organisations: RawBuilder<unknown>,
  findPlan = BY_EITHER_ID,
): RawBuilder<UnknownPlan> {
  return sql<UnknownPlan>`with recursive named (org_id, plan_id) as (
      select o.id, (select min(l.plan_id) from credential_plans as l where l.org_id = o.id)
        from ${organisations}
      union all
      select n.org_id, (select min(l.plan_id) from credential_plans as l
          where l.org_id = n.org_id and l.plan_id > n.plan_id)
        from named as n where n.plan_id is not null
    )
    select n.org_id, n.plan_id as id, case when p.id is null then 0 else 1 end as deleted
      from named as n
        ${sql.raw(findPlan)}
      where n.plan_id is not null and (p.id is null or p.deleted_at is not null)
        and exists (select 1 from credential_plans as l
          where l.org_id = n.org_id and l.plan_id = n.plan_id and l.state = 'active')
      order by n.org_id, n.plan_id limit ${sql.lit(UNKNOWN_COUNTED)}`;
}
