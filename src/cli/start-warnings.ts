import { type Config, unknownPlanChoice } from "../config.ts";
import { unknownPlansOfAll } from "../features/plans/unknown-plans.store.ts";
import { unknownPlanWarnings } from "../features/plans/unknown-plans.ts";
import type { Connection } from "../storage/storage.ts";

/** What an operator should know of a store before or when it is served, a sentence each. */
export async function startWarnings(config: Config, db: Connection): Promise<string[]> {
  return unknownPlanWarnings(unknownPlanChoice(config), await unknownPlansOfAll(db));
}
