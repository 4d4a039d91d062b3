import { changed } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import type { PolicyTerms } from "./policy.ts";
import { termsIn } from "./policies.store.ts";
import { policyTextsOf } from "../plans/plan-policies.store.ts";
import { type AskedPolicy, togetherOf } from "./asked-policy.ts";

/** The policy of each plan, its own or the default; undefined: it has none. */
export async function policiesFor(
  db: Connection,
  org_id: string,
  plans: readonly string[],
): Promise<(PolicyTerms | undefined)[]> {
  const texts = await policyTextsOf(db, org_id, plans);
  return texts.map((terms) => terms === undefined ? undefined : termsIn({ terms }));
}

/** The text that is kept with a request for these plans; null: no one has set a policy. */
export async function policyToKeep(
  tx: Tx,
  org_id: string,
  plans: readonly string[],
  filed_by: string,
): Promise<string | null> {
  const terms = togetherOf(await policiesFor(tx, org_id, plans));
  if (terms === null) return null;
  const asked: AskedPolicy = { ...terms, filed_by: [filed_by], given: [] };
  return JSON.stringify(asked);
}

/** Sets it of a pending request. False where it is decided. */
export const setAskedPolicy = changed(
  (db, p: { org_id: string; id: string; policy: string | null }) =>
    db.updateTable("key_requests").set({ policy: p.policy })
      .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", "pending"),
);
