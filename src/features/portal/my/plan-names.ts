import type { Connection } from "../../../storage/storage.ts";
import { namesOfPlans } from "../../plans/plan-counts.store.ts";

/** Plans as they are shown by name. */
interface NamedPlan {
  id: string;
  name: string;
}

/** Says what plans are called now; "": the plan is gone. One query for all of a page. */
export async function planNamer(
  db: Connection,
  org_id: string,
  plans: readonly (readonly string[])[],
): Promise<(ids: readonly string[]) => NamedPlan[]> {
  const names = await namesOfPlans(db, org_id, [...new Set(plans.flat())]);
  return (ids) => ids.map((id) => ({ id, name: names.get(id) ?? "" }));
}
