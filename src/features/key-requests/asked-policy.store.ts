import { statement } from "../../storage/statement.ts";
import { changed } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { PolicyTerms } from "../approval-policies/policy.ts";
import { DEFAULT, termsIn } from "../approval-policies/policies.store.ts";
import { sizedParts } from "../plans/plan-ids.store.ts";
import { type AskedPolicy, togetherOf } from "./asked-policy.ts";

const policiesSql = variants((size: number) =>
  statement<Record<string, string>>()((db, p) =>
    db.selectFrom("plan_ids as i")
      .innerJoin(
        "approval_policies as a",
        (join) => join.onRef("a.org_id", "=", "i.org_id").onRef("a.plan", "=", "i.plan_id"),
      )
      .select(["i.id as named", "a.terms"])
      .where("i.org_id", "=", p.org_id as string)
      // as: parts gives every one of them.
      .where("i.id", "in", Array.from({ length: size }, (_, n) => p[`id${n}`] as string))
      .unionAll(
        db.selectFrom("approval_policies").select(["plan as named", "terms"])
          .where("org_id", "=", p.org_id as string).where("plan", "=", DEFAULT),
      )
  )
);

/** The policy of each plan, its own or the default; undefined: it has none. */
export async function policiesFor(
  db: Connection,
  org_id: string,
  plans: readonly string[],
): Promise<(PolicyTerms | undefined)[]> {
  const found = new Map<string, PolicyTerms>();
  for (const { size, params } of sizedParts(org_id, plans)) {
    for (const row of await db.rows(policiesSql(size), params)) found.set(row.named, termsIn(row));
  }
  return plans.map((plan) => found.get(plan) ?? found.get(DEFAULT));
}

/** The text that is kept with a request for these plans; null: nobody has set a policy. */
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
