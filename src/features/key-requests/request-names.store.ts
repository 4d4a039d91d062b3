import { type EventNames, together } from "../../changes/event-names.ts";
import type { Connection } from "../../storage/storage.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";
import { namesOfPlans } from "../plans/plan-counts.store.ts";
import type { CatalogueEntry } from "../plans/catalogue/catalogue-entry.ts";
import { namesOfDeveloper } from "../developers/developer-names.ts";
import type { Developer } from "../developers/developer.ts";
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
    namesOfPlans(db, org_id, plans),
  ]);
  return { ...developers.get(by_user), plan: together(plans.map((plan) => names.get(plan))) };
}

/** The names of a draft, as far as the client or the live plans have them. */
export function namesOfDraft(
  { columns: { sent_developer, sent_entry } }: KeyRequestDraft,
  plans: readonly (string | undefined)[],
): EventNames {
  // as: draft wrote exactly these.
  const developer = sent_developer === null ? undefined : JSON.parse(sent_developer) as Developer;
  const entry = sent_entry === null ? undefined : JSON.parse(sent_entry) as CatalogueEntry;
  return { ...namesOfDeveloper(developer), plan: together(plans) ?? entry?.name };
}
