import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { holdDeveloperRow } from "../developers/developers.store.ts";
import { everyIdOf, planIdsOf } from "../plans/plan-ids.store.ts";
import type { KeyRequestDraft } from "./draft-key-request.ts";
import { findPending } from "./pending-requests.store.ts";
import { termsOf } from "./stored-request.ts";

/**
 * The id of the request for the same plans (and the same `key`) by the same developer that nobody has decided yet;
 * or undefined. The developer is held from here on, so that of two equal requests one is made. Throws
 * `unknown_developer` where the developer is gone by now.
 */
export async function findWaiting(tx: Tx, draft: KeyRequestDraft): Promise<string | undefined> {
  const { org_id, by_user, for_plan } = draft.columns;
  if (!await holdDeveloperRow(tx, org_id, by_user)) throw new Failure("unknown_developer");
  const plans = await eachPlan(tx, org_id, draft.plans);
  for (const id of await everyIdOf(tx, org_id, [for_plan])) {
    for (const row of await findPending(tx, { org_id, by_user, for_plan: id })) {
      const terms = termsOf(row);
      if (terms.key !== draft.key) continue;
      if (await eachPlan(tx, org_id, terms.plans) === plans) return row.id;
    }
  }
  return undefined;
}

/** The plans by their `_id`, each once, as a text that is the same for the same plans. */
async function eachPlan(tx: Tx, org_id: string, plans: readonly string[]): Promise<string> {
  const known = await planIdsOf(tx, org_id, plans);
  return [...new Set(plans.map((plan) => known.get(plan)?._id ?? plan))].sort().join("\n");
}
