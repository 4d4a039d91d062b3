import { sql } from "kysely";
import { all } from "../../storage/statement-functions.ts";

/** Lies behind every decision. */
export const NO_END = "~";

/** Decisions that are looked at, of each kind: the newest so many. */
export const LOOKED_AT = 2000;

/**
 * The newest approvals since then and before `until`: for which plan, asked when, decided when and
 * by whom.
 */
export const newestApprovals = all((db, p: { org_id: string; since: string; until: string }) =>
  db.selectFrom("key_requests")
    .select(["for_plan", "instant", "issued_at as at", "issued_by as by"])
    .where("org_id", "=", p.org_id).where("state", "=", sql.lit("issued"))
    .where("issued_at", ">=", p.since).where("issued_at", "<", p.until)
    .orderBy("issued_at", "desc").orderBy("id", "desc").limit(sql.lit(LOOKED_AT))
);

/** The newest declined requests. */
export const newestDeclines = all((db, p: { org_id: string; since: string; until: string }) =>
  db.selectFrom("key_requests")
    .select(["for_plan", "instant", "decided_at as at", "decided_by as by"])
    .where("org_id", "=", p.org_id).where("state", "=", sql.lit("declined"))
    .where("decided_at", ">=", p.since).where("decided_at", "<", p.until)
    .orderBy("decided_at", "desc").orderBy("id", "desc").limit(sql.lit(LOOKED_AT))
);

/** A decision as these give it. */
export type DecisionRow = Awaited<ReturnType<typeof newestApprovals>>[number];
