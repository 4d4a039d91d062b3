import type { Connection } from "../../../storage/storage.ts";
import { findPlanRules, planViewsOf, readPlan } from "../plans.store.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import { listLiveEntries } from "./catalogue.store.ts";

/** A plan that there was, and that no developer can request now. */
export interface WithdrawnPlan {
  id: string;
  name: string;
  /** True: there is no key for it either. */
  isDeleted: boolean;
}

/**
 * The plans among these that are deleted, deactivated, or in no entry that the catalogue shows. An
 * organisation whose catalogue shows nothing withdraws nothing by it.
 */
export async function withdrawnPlans(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<WithdrawnPlan[]> {
  const named = [...new Set(ids)];
  const [views, entries] = await Promise.all([
    planViewsOf(db, org_id, named),
    listLiveEntries(db, { org_id }),
  ]);
  // as: the catalogue's store writes exactly this.
  const view = entries.filter(({ document }) => (JSON.parse(document) as CatalogueEntry).show);
  const offered = new Set(view.flatMap(({ plan_id }) => plan_id ?? []));
  const found: WithdrawnPlan[] = [];
  for (const id of named) {
    const row = views.get(id);
    if (!row) {
      const rules = await findPlanRules(db, org_id, id);
      if (rules?.deleted) found.push({ id, name: rules.name, isDeleted: true });
      continue;
    }
    const { name, active } = readPlan(row);
    const isOffered = active && (offered.size === 0 || offered.has(row.id));
    if (!isOffered) found.push({ id, name, isDeleted: false });
  }
  return found;
}
