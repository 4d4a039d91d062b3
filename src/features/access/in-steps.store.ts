import type { Connection } from "../../storage/storage.ts";
import { all } from "../../storage/statement-functions.ts";
import { type Group, isAmong, isApprover } from "./approvers.ts";
import type { PersonRow } from "./person.ts";

const termsOfPolicies = all((db, p: { org_id: string }) =>
  db.selectFrom("approval_policies").select("terms").where("org_id", "=", p.org_id)
);

/** Whether some approval policy of the organisation has a step that this person counts in. */
export async function isInSteps(
  db: Connection,
  org_id: string,
  person: PersonRow | undefined,
): Promise<boolean> {
  if (!person || !isApprover(person)) return false;
  return (await termsOfPolicies(db, { org_id })).some(({ terms }) => {
    // as: setting a policy writes the text of its terms, of which these are a part.
    const { steps } = JSON.parse(terms) as { steps: Group[] };
    return steps.some((step) => isAmong(step, person));
  });
}
