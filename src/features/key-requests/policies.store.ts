import { revisionOf } from "../../kernel/entity-tag.ts";
import { all, change, changed, one } from "../../storage/statement-functions.ts";
import { puts, removes } from "../../storage/table-statements.ts";
import { NO_END, type PolicyTerms } from "./policy.ts";

/** The policies of an organisation, its default first. */
export const policiesOf = all((db, p: { org_id: string }) =>
  db.selectFrom("approval_policies").select(["plan", "terms", "updated_at"])
    .where("org_id", "=", p.org_id).orderBy("plan")
);

/** A plan's own policy, or the default's; or undefined. */
export const findPolicy = one((db, p: { org_id: string; plan: string }) =>
  db.selectFrom("approval_policies").select(["plan", "terms", "updated_at"])
    .where("org_id", "=", p.org_id).where("plan", "=", p.plan)
);

/** Sets it. */
export const putPolicy = change(puts("approval_policies"));

/** Takes a plan's own policy away. False where it has none. */
export const removePolicy = changed(removes("approval_policies"));

/** A name of what is set; of a plan that has nothing of its own, for that. */
export function revisionOfPolicy(
  { plan, terms = "", updated_at }: { plan: string; terms?: string; updated_at?: string | null },
): string {
  return revisionOf({ plan, terms, updated_at: updated_at ?? null });
}

/** The terms of a stored policy. */
export function termsIn({ terms }: { terms: string }): PolicyTerms {
  // as: the transactions of policies write exactly this, but for what came later.
  return { ...NO_END, ...JSON.parse(terms) as PolicyTerms };
}
