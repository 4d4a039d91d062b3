import type { Connection } from "../../storage/storage.ts";
import { planTermsOf } from "../plans/catalogue/plan-terms.transactions.ts";
import { type KeyKind, kindFor } from "./key-kinds.ts";
import type { AuthType, References } from "../plans/plan.ts";

/**
 * The kind of a key for these plans: `own` where it is given, and then they must fit it. A plan
 * that no one knows fits every key, and a user name or an OAuth client may have plans of plain keys
 * too. Throws `unknown_plan` but where references are open, `keyless_plan`, `mixed_auth_types` and
 * `wrong_auth_type`.
 */
export async function fitPlans(
  db: Connection,
  org_id: string,
  plans: readonly string[],
  own: KeyKind | null,
  references: References | "known",
): Promise<KeyKind> {
  const wanted: AuthType | undefined = own === "token" ? "authToken" : own ?? undefined;
  const stated = () => Promise.resolve(wanted);
  const terms = await planTermsOf(db, org_id, plans, stated, references);
  return kindFor(terms.map(({ authType }) => authType), own);
}
