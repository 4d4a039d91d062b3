import type { Actor } from "../../changes/audit.ts";
import type { Tx } from "../../storage/storage.ts";
import { endingPlans, isAccessOver } from "../keys/granted-end.transactions.ts";
import { needsApproval } from "../plans/catalogue/catalogue-entry.ts";
import { findConfiguration, findEntryOfPlan } from "../plans/catalogue/catalogue.store.ts";
import { askedPolicyIn } from "./asked-policy.ts";
import { type StoredTexts, termsOf } from "./stored-request.ts";

/**
 * Whether a request needs no one, as its policy says, else the catalogue. One for an access that is
 * over needs a person.
 */
export async function needsNoApprover(
  tx: Tx,
  { org_id, now }: Pick<Actor, "org_id" | "now">,
  row: StoredTexts & { asked_end: string | null; policy: string | null },
): Promise<boolean> {
  if (row.asked_end !== null) return false;
  const asked = askedPolicyIn(row.policy);
  const { key, by_user, plans, remove_policies } = termsOf(row);
  const isOver = async () => {
    const named = await endingPlans(tx, org_id, plans);
    return await isAccessOver(tx, { org_id, developer_id: by_user, plans: named, now });
  };
  if (asked && asked.outcome !== "catalogue") {
    return asked.outcome === "at_once" && !await isOver();
  }
  // Plans that a key loses are decided, too.
  const all = [...plans, ...key === "" ? [] : remove_policies];
  return await areAutomatic(tx, org_id, all) && !await isOver();
}

/** Whether requests for these plans need no one, as catalogue and configuration say. */
async function areAutomatic(
  tx: Tx,
  org_id: string,
  plans: readonly string[],
): Promise<boolean> {
  const stored = await findConfiguration(tx, { org_id });
  const configuration = stored === undefined ? undefined : JSON.parse(stored);
  for (const plan of plans) {
    const entry = await findEntryOfPlan(tx, { org_id, policy_id: plan });
    if (needsApproval(entry === undefined ? undefined : JSON.parse(entry), configuration)) {
      return false;
    }
  }
  return true;
}
