import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

/** Keys, and requests, of one plan are counted up to here. */
const COUNTED = 1000;
/** How many ids one statement takes; longer lists are given in parts. */
const IDS = 25;

/** What there is of a plan, up to COUNTED of each; keys that are revoked are not among them. */
export interface PlanCounts {
  id: string;
  keys: number;
  pending_requests: number;
}

const countsSql = statement<Record<string, string>>()<PlanCounts>((db, p) => {
  const ids = Array.from({ length: IDS }, (_, i) => p[`id${i}`]);
  const keysIn = (state: string) =>
    sql`select 1 as one from credential_plans as l where l.org_id = p.org_id and l.plan_id = p.id
      and l.state = ${sql.lit(state)}`;
  return {
    compile: () =>
      sql<PlanCounts>`select p.id,
        (select count(*) from (
          ${keysIn("active")} union all ${keysIn("suspended")}
          limit ${sql.lit(COUNTED)}) as counted) as keys,
        (select count(*) from (
          select 1 as one from key_requests as r where r.org_id = p.org_id and r.for_plan = p.id
          and r.state = 'pending' limit ${sql.lit(COUNTED)}) as counted) as pending_requests
        from plans as p where p.org_id = ${p.org_id} and p.id in (${sql.join(ids)})`.compile(db),
  };
});

/** What there is of each of these plans. */
export async function countsOfPlans(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, PlanCounts>> {
  const counts = new Map<string, PlanCounts>();
  for (const params of parts(org_id, ids)) {
    for (const row of await db.rows(countsSql, params)) counts.set(row.id, row);
  }
  return counts;
}

const namesSql = statement<Record<string, string>>()((db, p) =>
  db.selectFrom("plans").select(["id", "name"]).where("org_id", "=", p.org_id as string)
    .where("deleted_at", "is", null)
    // as: parts gives every one of them.
    .where("id", "in", Array.from({ length: IDS }, (_, i) => p[`id${i}`] as string))
);

/** The names of those of these plans that are not gone. */
export async function namesOfPlans(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const params of parts(org_id, ids)) {
    for (const { id, name } of await db.rows(namesSql, params)) names.set(id, name);
  }
  return names;
}

function parts(org_id: string, ids: readonly string[]): Record<string, string>[] {
  return Array.from({ length: Math.ceil(ids.length / IDS) }, (_, part) => {
    const params: Record<string, string> = { org_id };
    for (let i = 0; i < IDS; i++) params[`id${i}`] = ids[part * IDS + i] ?? "";
    return params;
  });
}
