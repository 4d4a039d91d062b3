import { demandWarnings } from "../changes/checksum-demand.store.ts";
import { type Config, unknownPlanChoice } from "../config.ts";
import { endingTokenWarnings } from "../features/access/access-token.ts";
import { tokensEndingOfAll } from "../features/access/access-tokens.store.ts";
import { sharedEmailsOfAll } from "../features/developers/folded-emails.store.ts";
import { sharedEmailWarnings } from "../features/developers/folded-emails.ts";
import { sharedSsoKeysOfAll } from "../features/developers/sso-keys.store.ts";
import { sharedSsoKeyWarnings } from "../features/developers/sso-keys.ts";
import { unknownPlansOfAll } from "../features/plans/unknown-plans.store.ts";
import { unknownPlanWarnings } from "../features/plans/unknown-plans.ts";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import type { Connection } from "../storage/storage.ts";

/**
 * What an operator should know of plans, a sentence each. `unknownPlans` reads them out of a store
 * of this schema.
 */
export async function planWarnings(
  config: Config,
  db: Connection,
  unknownPlans = unknownPlansOfAll,
): Promise<string[]> {
  return unknownPlanWarnings(unknownPlanChoice(config), await unknownPlans(db));
}

/** What an operator should know of a store that is served, a sentence each. */
export async function startWarnings(
  config: Config,
  db: Connection,
  sealer: Sealer,
  now: number,
): Promise<string[]> {
  return [
    ...config.REUSE_PORT && config.PROCESSES === 1 ? [WHOLE_LIMITS] : [],
    ...await planWarnings(config, db),
    ...await storeWarnings(db, sealer, now),
  ];
}

const WHOLE_LIMITS =
  "KEYDESK_REUSE_PORT is set, and KEYDESK_PROCESSES says 1: each process lets through the whole of a rate, and of failed authentications; say how many there are.";

/** The same but for plans. Without a sealer nothing is said of checksums. */
export async function storeWarnings(
  db: Connection,
  sealer: Sealer | undefined,
  now: number,
): Promise<string[]> {
  return [
    ...sealer ? await demandWarnings(db, sealer) : [],
    ...sharedSsoKeyWarnings(await sharedSsoKeysOfAll(db)),
    ...sharedEmailWarnings(await sharedEmailsOfAll(db)),
    ...await dailyWarnings(db, now),
  ];
}

/** What becomes true while a server runs, and so is told each day, a sentence each. */
export async function dailyWarnings(db: Connection, now: number): Promise<string[]> {
  return endingTokenWarnings(await tokensEndingOfAll(db, now), now);
}
