import type { Connection } from "../../../storage/storage.ts";
import { planIdsOf } from "../../plans/plan-ids.store.ts";
import { findRule, termsIn } from "./rules.store.ts";
import { gentlest, type UnusedTerms } from "./unused-rule.ts";

/** The rule of a key with these plans, by either of their ids; undefined: it is left alone. */
export async function ruleOfKey(
  db: Connection,
  org_id: string,
  plans: readonly string[],
): Promise<UnusedTerms | undefined> {
  const ids = await planIdsOf(db, org_id, plans);
  const rules: (UnusedTerms | undefined)[] = [];
  for (const named of plans) {
    const row = await findRule(db, { org_id, plan: ids.get(named)?._id ?? named });
    rules.push(row && termsIn(row));
  }
  return gentlest(rules);
}
