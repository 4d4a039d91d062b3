import type { RequestContext } from "../../../calls/context.ts";
import { coverageOfCaller } from "../coverage.ts";
import { type EntryRow, listEntries } from "./catalogue.store.ts";

/** The catalogue's entries that the caller sees: within a scope those of its plans. */
export async function seenEntries(
  { storage: { reader }, principal }: RequestContext,
): Promise<EntryRow[]> {
  const entries = await listEntries(reader, { org_id: principal.org_id });
  const coverage = await coverageOfCaller(reader, principal);
  return coverage ? entries.filter(({ policy_id }) => coverage.plans.has(policy_id)) : entries;
}
