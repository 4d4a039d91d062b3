import type { Actor } from "../../changes/audit.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { putCatalogue, putConfiguration } from "../../features/plans/catalogue/catalogue.store.ts";
import { insertDocument, replaceDocument } from "../../features/plans/catalogue/documents.store.ts";
import { portalId } from "../../features/plans/catalogue/portal-ids.ts";
import { raiseRevision } from "../../features/plans/catalogue-revision.store.ts";
import {
  findPlanRules,
  insertPlan,
  lockPlan,
  replacePlan,
} from "../../features/plans/plans.store.ts";
import type { Plan } from "../../features/plans/plan.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import type { Finding } from "./findings.ts";
import type { CatalogueItem, ConfigurationItem, DocumentItem, PlanItem } from "./items.ts";
import { planNameTaken } from "./plan-names.store.ts";

/** Adds or replaces a plan; verification hears of it. A name that is taken gets the id added. */
export async function takePlan(
  tx: Tx,
  { org_id, now }: Actor,
  item: PlanItem,
  replaces: boolean,
  report: (finding: Finding) => void,
): Promise<boolean> {
  const before = replaces ? await lockPlan(tx, org_id, item.id) : undefined;
  const ids = before ?? item.plan;
  const isTaken = await planNameTaken(tx, { org_id, name: item.plan.name, id: ids._id });
  const name = isTaken ? `${item.plan.name} (${ids._id})` : item.plan.name;
  const plan: Plan = { ...item.plan, _id: ids._id, id: ids.id, name };
  if (before) await replacePlan(tx, org_id, plan);
  else {
    if (await findPlanRules(tx, org_id, plan._id) || await findPlanRules(tx, org_id, plan.id)) {
      report({ kind: "plan", id: item.id, code: "plan_ids_taken", detail: "" });
      return false;
    }
    const { _id: id, id: given_id, auth_type } = plan;
    const document = JSON.stringify(plan);
    const { date_created } = item;
    await insertPlan(tx, { org_id, id, given_id, name, auth_type, document, date_created });
    if (given_id !== id) await raiseRevision(tx, { org_id });
  }
  if (isTaken) report({ kind: "plan", id: item.id, code: "plan_name_taken", detail: "" });
  for (const object_id of new Set([plan._id, plan.id])) {
    await invalidate(tx, { org_id, kind: "plan", object_id, now });
  }
  return true;
}

/** Sets configuration or catalogue, or adds or replaces a document. */
export async function takePortal(
  tx: Tx,
  org_id: string,
  item: ConfigurationItem | CatalogueItem | DocumentItem,
  replaces: boolean,
): Promise<boolean> {
  switch (item.kind) {
    case "configuration": {
      const id = portalId(org_id, "configuration");
      await putConfiguration(tx, { org_id, id, document: item.document });
      return true;
    }
    case "catalogue": {
      await raiseRevision(tx, { org_id });
      const { email, entries } = item;
      await putCatalogue(tx, { org_id, id: portalId(org_id, "catalogue"), email, entries });
      return true;
    }
    case "documentation":
      if (!replaces) {
        await insertDocument(tx, { org_id, ...item.document, date_created: item.date_created });
      } else if (!await replaceDocument(tx, { org_id, ...item.document })) {
        throw new Failure("unavailable");
      }
      return true;
  }
}
