import { Failure } from "../../kernel/failure.ts";
import type { Connection } from "../../storage/storage.ts";
import { planTermsOf } from "../catalogue/plan-terms.transactions.ts";
import { type CredentialKind, kindOf } from "./credential.ts";
import { type AuthType, commonAuthType, type References } from "../plans/plan.ts";

/**
 * The kind of a key for these plans: `own` where it is given, and then they must fit it. A plan that nobody knows
 * fits every key, and an OAuth client may have plans of plain keys too. Throws `unknown_plan` where references are
 * strict, `keyless_plan`, `mixed_auth_types` and `wrong_auth_type`.
 */
export async function fitPlans(
  db: Connection,
  org_id: string,
  plans: readonly string[],
  own: CredentialKind | null,
  references: References,
): Promise<CredentialKind> {
  const wanted: AuthType | undefined = own === "token" ? "authToken" : own ?? undefined;
  const stated = () => Promise.resolve(wanted);
  const terms = await planTermsOf(db, org_id, plans, stated, references);
  const types = terms.map(({ authType }) =>
    wanted === "oauth" && authType === "authToken" ? wanted : authType
  );
  const common = commonAuthType(types, false);
  if (wanted !== undefined && common !== wanted) throw new Failure("wrong_auth_type");
  return kindOf(common);
}
