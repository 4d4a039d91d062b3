import { type EventNames, together } from "../../changes/event-names.ts";
import type { Connection } from "../../storage/storage.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";
import { namesOfEveryPlan } from "../plans/plan-counts.store.ts";
import type { KeyRequestDraft } from "./draft-key-request.ts";
import { type StoredTexts, termsOf } from "./stored-request.ts";

/** The current names of a stored request's developer and plans. */
export async function namesOfRequest(
  db: Connection,
  org_id: string,
  texts: StoredTexts,
): Promise<EventNames> {
  const { by_user, plans } = termsOf(texts);
  const [developers, names] = await Promise.all([
    namesOfDevelopers(db, org_id, [by_user]),
    namesOfEveryPlan(db, org_id, plans),
  ]);
  return { ...developers.get(by_user), plan: together(plans.map((plan) => names.get(plan))) };
}

/** The names of a draft: of its plans as they are called now, where they are known. */
export function namesOfDraft(
  { names }: KeyRequestDraft,
  plans: readonly (string | undefined)[],
): EventNames {
  return { ...names, plan: together(plans) ?? names.plan };
}
