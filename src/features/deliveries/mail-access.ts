import type { Connection } from "../../storage/storage.ts";
import { namesOfPlans } from "../plans/plan-counts.store.ts";
import { readPlan, shownPlansOf } from "../plans/plans.store.ts";

/** The names of these plans; the id of one that is gone. */
export async function plansOf(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<string> {
  const names = await namesOfPlans(db, org_id, ids);
  return ids.map((id) => names.get(id) ?? id).join(", ");
}

/** The names of the APIs that these plans open. */
export async function apisOf(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<string> {
  const rows = await shownPlansOf(db, org_id, ids);
  const names = [...rows.values()].flatMap((row) =>
    Object.entries(readPlan(row).access_rights).map(([id, { api_name }]) =>
      typeof api_name === "string" && api_name !== "" ? api_name : id
    )
  );
  return [...new Set(names)].join(", ");
}
