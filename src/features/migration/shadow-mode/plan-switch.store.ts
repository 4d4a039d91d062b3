import type { StoredRow } from "../../../storage/schema.ts";
import { all, change, one } from "../../../storage/statement-functions.ts";
import { puts } from "../../../storage/table-statements.ts";

/** A switch as it is stored. */
export type SwitchRow = StoredRow<"plan_switches">;

/** The switches of an organisation that were ever set. */
export const switchesOf = all((db, p: { org_id: string }) =>
  db.selectFrom("plan_switches").select(["plan", "decided", "changed_at", "changed_by"])
    .where("org_id", "=", p.org_id).orderBy("plan")
);

/** The switch of a plan, by its `_id`; undefined: it was never set. */
export const findSwitch = one((db, p: { org_id: string; plan: string }) =>
  db.selectFrom("plan_switches").select(["plan", "decided", "changed_at", "changed_by"])
    .where("org_id", "=", p.org_id).where("plan", "=", p.plan)
);

/** Sets a plan's switch. Its plan is held. */
export const putSwitch = change(puts("plan_switches"));
