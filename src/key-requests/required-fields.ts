import { type CatalogueEntry, requiredFields } from "../catalogue/catalogue-entry.ts";
import { findConfiguration, findEntryOfPlan } from "../catalogue/catalogue.store.ts";
import type { RequestContext } from "../context.ts";
import { Failure } from "../lib/failure.ts";

/**
 * Throws `invalid_input` that names every field which the live catalogue or configuration requires for one of
 * these plans and which is missing or empty.
 */
export async function refuseMissingFields(
  ctx: RequestContext,
  plans: readonly string[],
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const { storage: { reader }, principal: { org_id }, settings: { references } } = ctx;
  const [configuration, ...entries] = await Promise.all([
    findConfiguration(reader, org_id),
    ...plans.map((plan) => findEntryOfPlan(reader, org_id, plan)),
  ]);
  // as (both): the catalogue's documents are written from the contract's own types.
  const ofOrganisation = configuration && JSON.parse(configuration) as CatalogueEntry["config"];
  const required = new Set(entries.flatMap((text) => {
    const entry = text && JSON.parse(text) as CatalogueEntry;
    const config = entry && entry.config.override ? entry.config : ofOrganisation;
    return config ? requiredFields(config, references === "strict") : [];
  }));
  const details = [...required]
    .filter((name) => !Object.hasOwn(fields, name) || fields[name]?.trim() === "")
    .map((name) => `fields.${name}: required for this plan`);
  const [message] = details;
  if (message !== undefined) throw new Failure("invalid_input", { message, details });
}
