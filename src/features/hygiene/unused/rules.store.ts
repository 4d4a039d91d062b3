import { revisionOf } from "../../../kernel/entity-tag.ts";
import type { StoredRow } from "../../../storage/schema.ts";
import { all, change, one, send } from "../../../storage/statement-functions.ts";
import { puts } from "../../../storage/table-statements.ts";
import { SWITCHED_OFF, type UnusedTerms } from "./unused-rule.ts";

/** A rule as it is stored. */
export type RuleRow = StoredRow<"unused_rules">;

/** The rules of an organisation's plans, in the order of their ids. */
export const rulesOf = all((db, p: { org_id: string }) =>
  db.selectFrom("unused_rules").select(["plan", "terms", "place", "round_at", "updated_at"])
    .where("org_id", "=", p.org_id).orderBy("plan")
);

/** The rule of a plan, by its `_id`; undefined: no one has set one. */
export const findRule = one((db, p: { org_id: string; plan: string }) =>
  db.selectFrom("unused_rules").select(["plan", "terms", "place", "round_at", "updated_at"])
    .where("org_id", "=", p.org_id).where("plan", "=", p.plan)
);

/** Sets a plan's rule; the look at its keys begins anew. */
export const putRule = change(puts("unused_rules"));

/** Notes how far the look at a plan's keys has come, unless its rule was set meanwhile. */
export const setPlace = send((
  db,
  p: Pick<RuleRow, "org_id" | "plan" | "place" | "round_at" | "updated_at">,
) =>
  db.updateTable("unused_rules").set({ place: p.place, round_at: p.round_at })
    .where("org_id", "=", p.org_id).where("plan", "=", p.plan)
    .where("updated_at", "=", p.updated_at)
);

/** The terms of a rule; of a plan without one, that it is switched off. */
export function termsIn(row: Pick<RuleRow, "terms"> | undefined): UnusedTerms {
  // as: the transaction that sets rules writes exactly this, but for what came later.
  return row ? { ...SWITCHED_OFF, ...JSON.parse(row.terms) as UnusedTerms } : SWITCHED_OFF;
}

/** A name of what is set; of a plan that has nothing of its own, for that. */
export function revisionOfRule(plan: string, row: RuleNamed | undefined): string {
  return revisionOf({ plan, terms: row?.terms ?? "", updated_at: row?.updated_at ?? null });
}

type RuleNamed = Pick<RuleRow, "terms" | "updated_at">;
