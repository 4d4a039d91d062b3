import type { Connection } from "../../../storage/storage.ts";
import { everyPlan } from "../every-plan.store.ts";
import { apiNamesOf } from "../plan.ts";
import { listLiveEntries } from "./catalogue.store.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";

/** Ids of plans that a text finds by names, at the most. */
const MOST_IDS = 64;

/** Plans that a text finds by names. */
export interface CalledPlans {
  /** Every id of theirs, and of deleted ones that the catalogue still names. */
  readonly ids: ReadonlySet<string>;
  /** False: there are more. */
  readonly areAll: boolean;
}

/**
 * The plans whose present name, or the name or id of an API of theirs, holds this text, in any
 * case. Reads plans and catalogue, which are few however many requests there are.
 */
export async function plansCalled(
  db: Connection,
  org_id: string,
  text: string,
): Promise<CalledPlans> {
  const wanted = text.toLowerCase();
  const holds = (names: readonly string[]) =>
    names.some((name) => name.toLowerCase().includes(wanted));
  const ids = new Set<string>();
  for await (const { plan } of everyPlan(db, org_id)) {
    if (holds([plan.name, ...apiNamesOf(plan), ...Object.keys(plan.access_rights)])) {
      ids.add(plan._id).add(plan.id);
    }
  }
  for (const { policy_id, plan_id, given_id, document } of await listLiveEntries(db, { org_id })) {
    // as: the catalogue's store writes exactly this.
    const { name, api_id } = JSON.parse(document) as CatalogueEntry;
    if (!holds([name, api_id])) continue;
    for (const id of [policy_id, plan_id, given_id]) if (id !== null) ids.add(id);
  }
  return { ids: new Set([...ids].slice(0, MOST_IDS)), areAll: ids.size <= MOST_IDS };
}
