import type { Tx } from "../../storage/storage.ts";
import { needsApproval } from "../catalogue/catalogue-entry.ts";
import { findConfiguration, findEntryOfPlan } from "../catalogue/catalogue.store.ts";
import { askedPolicyIn } from "./asked-policy.ts";
import { type StoredTexts, termsOf } from "./stored-request.ts";

/** Whether a request needs nobody, as its policy says, else the catalogue. */
export async function needsNobody(
  tx: Tx,
  org_id: string,
  row: StoredTexts & { asked_end: string | null; policy: string | null },
): Promise<boolean> {
  if (row.asked_end !== null) return false;
  const asked = askedPolicyIn(row.policy);
  if (asked && asked.outcome !== "catalogue") return asked.outcome === "at_once";
  const { key, plans, remove_policies } = termsOf(row);
  // What a key loses is decided, too.
  return await areAutomatic(tx, org_id, [...plans, ...key === "" ? [] : remove_policies]);
}

/** Whether requests for these plans need nobody, as catalogue and configuration say. */
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
