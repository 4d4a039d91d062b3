import { Failure } from "../../../kernel/failure.ts";
import type { Connection } from "../../../storage/storage.ts";
import type { AuthType, PlanRules, References } from "../plan.ts";
import { findPlanRules } from "../plans.store.ts";
import { authTypeOf, type CatalogueEntry } from "./catalogue-entry.ts";
import { findEntryOfPlan } from "./catalogue.store.ts";

/** The terms of a key that is issued for a plan. */
export interface PlanTerms {
  authType: AuthType;
  /** How long its keys live, in seconds; 0 and below: they do not expire. */
  keyExpiresIn: number;
  /** The live plan's; undefined where there is none. */
  name: string | undefined;
  /** As the key names it, and what the live plan says; undefined where there is none. */
  id: string;
  rules: PlanRules | undefined;
}

/**
 * The effective terms of each plan. Its auth type is the live plan's, else the live entry's, else
 * the one that the request stated; name and life are the live plan's alone. Throws `unknown_plan`
 * for a deleted plan, and unless references are open for an unknown one; `inactive_plan` if they
 * are strict.
 */
export async function planTermsOf(
  db: Connection,
  org_id: string,
  plans: readonly string[],
  stated: (plan: string) => Promise<AuthType | undefined>,
  references: References | "known",
): Promise<PlanTerms[]> {
  // Asked for together: on PostgreSQL that is one round trip for all of them.
  return await Promise.all(plans.map(async (id): Promise<PlanTerms> => {
    const plan = await findPlanRules(db, org_id, id);
    if (plan?.deleted) {
      throw references === "known" ? deletedPlan(plan) : new Failure("unknown_plan");
    }
    if (!plan && references === "known") throw unknownPlan(id);
    if (!plan && references === "strict") throw new Failure("unknown_plan");
    if (references === "strict" && !plan?.active) throw new Failure("inactive_plan");
    const live = plan?.auth_type ?? await entryAuthType(db, org_id, id);
    return {
      authType: live ?? await stated(id) ?? "authToken",
      keyExpiresIn: plan?.key_expires_in ?? 0,
      name: plan?.name,
      id,
      rules: plan,
    };
  }));
}

/** The error for people who can fix it; clients of the older interface know the bare sentence. */
function unknownPlan(id: string): Failure {
  return new Failure("unknown_plan", { message: `There is no plan ${id}: create it first.` });
}

function deletedPlan({ name }: PlanRules): Failure {
  const message = `The plan ${name} was deleted: decline the request, or grant another plan.`;
  return new Failure("unknown_plan", { message });
}

async function entryAuthType(
  db: Connection,
  org_id: string,
  plan: string,
): Promise<AuthType | undefined> {
  const entry = await findEntryOfPlan(db, { org_id, policy_id: plan });
  // as: the catalogue's documents are written from the contract's own type.
  return entry === undefined ? undefined : authTypeOf(JSON.parse(entry) as CatalogueEntry);
}
