import { Failure } from "../../kernel/failure.ts";
import { requiredFields } from "../catalogue/catalogue-entry.ts";
import type { CatalogueContext } from "../catalogue/live-catalogue.ts";

/**
 * Throws `invalid_input` that names every field which the live catalogue or configuration requires
 * for one of these plans and which is missing or empty.
 */
export async function refuseMissingFields(
  ctx: CatalogueContext,
  plans: readonly string[],
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const { storage, principal: { org_id }, settings: { references } } = ctx;
  const configs = await ctx.liveCatalogue.configsOf(storage, org_id, plans);
  const required = new Set(
    configs.flatMap((config) => config ? requiredFields(config, references === "strict") : []),
  );
  const details = [...required]
    .filter((name) => !Object.hasOwn(fields, name) || fields[name]?.trim() === "")
    .map((name) => `fields.${name}: required for this plan`);
  const [message] = details;
  if (message !== undefined) throw new Failure("invalid_input", { message, details });
}
