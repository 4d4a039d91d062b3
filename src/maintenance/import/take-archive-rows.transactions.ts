import type { Actor } from "../../changes/audit.ts";
import { findPlanRules } from "../../features/plans/plans.store.ts";
import type { Tx } from "../../storage/storage.ts";
import type { ArchiveRow, ArchiveRows } from "../archive/archive-tables.ts";
import { putRows } from "../archive/put-rows.transactions.ts";
import type { Finding } from "./findings.ts";
import type { ArchiveItem } from "./items.ts";
import { planNameTaken } from "./plan-names.store.ts";

/**
 * Puts the rows of another Keydesk into this one. Rows that came so before are never replaced,
 * which is reported.
 */
export async function takeArchiveRows(
  tx: Tx,
  { org_id, now }: Actor,
  { of: kind, id, rows }: ArchiveItem,
  replaces: boolean,
  report: (finding: Finding) => void,
): Promise<boolean> {
  const say = (code: Finding["code"]) => report({ kind, id, code, detail: "" });
  if (replaces) {
    say("own_again");
    return false;
  }
  const plans = await plansToPut(tx, org_id, rows.plans ?? [], say);
  if (plans === undefined) return false;
  const put = rows.plans ? { ...rows, plans } : rows;
  if (await putRows(tx, { org_id, now }, put)) return true;
  say("exists_here");
  // Of several rows together, those came that were not here.
  return kind === "rest";
}

/** The plans with names of their own; undefined where another plan has an id of one. */
async function plansToPut(
  tx: Tx,
  org_id: string,
  rows: readonly ArchiveRow[],
  say: (code: Finding["code"]) => void,
): Promise<ArchiveRows["plans"]> {
  const plans: ArchiveRow[] = [];
  for (const row of rows) {
    const [id, name] = [String(row.id), String(row.name)];
    for (const one of [id, String(row.given_id)]) {
      if (!await findPlanRules(tx, org_id, one)) continue;
      say("plan_ids_taken");
      return undefined;
    }
    if (row.deleted_at !== null || !await planNameTaken(tx, { org_id, name, id })) plans.push(row);
    else {
      say("plan_name_taken");
      const renamed = `${name} (${id})`;
      const document = JSON.stringify({ ...JSON.parse(String(row.document)), name: renamed });
      plans.push({ ...row, name: renamed, document });
    }
  }
  return plans;
}
