import { authTypeOf, type CatalogueEntry } from "../catalogue/catalogue-entry.ts";
import { findEntryOfPlan } from "../catalogue/catalogue.store.ts";
import { Failure } from "../lib/failure.ts";
import { type AuthType, toAuthType } from "../plans/plan.ts";
import { findPlan, findPlanRules } from "../plans/plans.store.ts";
import type { Tx } from "../storage/storage.ts";
import type { References } from "./key-request.ts";

/**
 * The auth type of each plan: the live plan's, else the live entry's, else what the request stated. Throws
 * `unknown_plan` for a plan that is gone, and where references are strict for one that nobody knows;
 * `inactive_plan` where they are strict.
 */
export async function authTypesOf(
  tx: Tx,
  org_id: string,
  plans: readonly string[],
  stated: (plan: string) => Promise<AuthType | undefined>,
  references: References,
): Promise<AuthType[]> {
  const types: AuthType[] = [];
  for (const id of plans) {
    const plan = await findPlan(tx, org_id, id);
    if (plan ? plan.deleted_at !== null : references === "strict") {
      throw new Failure("unknown_plan");
    }
    if (references === "strict" && !(await findPlanRules(tx, org_id, id))?.active) {
      throw new Failure("inactive_plan");
    }
    const live = plan ? toAuthType(plan.auth_type) : await entryAuthType(tx, org_id, id);
    types.push(live ?? await stated(id) ?? "authToken");
  }
  return types;
}

async function entryAuthType(tx: Tx, org_id: string, plan: string): Promise<AuthType | undefined> {
  const entry = await findEntryOfPlan(tx, org_id, plan);
  // as: the catalogue's documents are written from the contract's own type.
  return entry === undefined ? undefined : authTypeOf(JSON.parse(entry) as CatalogueEntry);
}
