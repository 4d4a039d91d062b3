import type { CatalogueEntry } from "./catalogue-entry.ts";
import { catalogueEntry } from "./catalogue.contract.ts";

/** The entry shown for a plan that nobody has described: its policy_id and empty values. */
export function emptyEntry(policy_id: string): CatalogueEntry {
  return { ...EMPTY, policy_id };
}

const EMPTY: CatalogueEntry = catalogueEntry.input.parse({});
