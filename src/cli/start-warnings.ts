import { demandWarnings } from "../changes/checksum-demand.store.ts";
import { type Config, unknownPlanChoice } from "../config.ts";
import { endingTokenWarnings } from "../features/people/access-token.ts";
import { tokensEndingOfAll } from "../features/people/access-tokens.store.ts";
import { passkeyHostOf } from "../features/people/passkey.ts";
import { countPasskeysOfOtherHosts } from "../features/people/passkeys.store.ts";
import { closedApprovals } from "../features/people/sign-in-rules.store.ts";
import { sharedEmailsOfAll } from "../features/developers/folded-emails.store.ts";
import { sharedEmailWarnings } from "../features/developers/folded-emails.ts";
import { sharedSsoKeysOfAll } from "../features/developers/sso-keys.store.ts";
import { sharedSsoKeyWarnings } from "../features/developers/sso-keys.ts";
import { unknownPlansOfAll } from "../features/plans/unknown-plans.store.ts";
import { unknownPlanWarnings } from "../features/plans/unknown-plans.ts";
import type { Sealer } from "../kernel/sealing/sealer.ts";
import type { Connection } from "../storage/storage.ts";

/**
 * The warnings about plans, a sentence each. `unknownPlans` reads them out of a store of this
 * schema.
 */
export async function planWarnings(
  config: Config,
  db: Connection,
  unknownPlans = unknownPlansOfAll,
): Promise<string[]> {
  return unknownPlanWarnings(unknownPlanChoice(config), await unknownPlans(db));
}

/** The warnings about a store that is served, a sentence each. */
export async function startWarnings(
  config: Config,
  db: Connection,
  sealer: Sealer,
  now: number,
): Promise<string[]> {
  return [
    ...config.REUSE_PORT && config.PROCESSES === 1 ? [WHOLE_LIMITS] : [],
    ...await planWarnings(config, db),
    ...await passkeyWarnings(db, config.PUBLIC_URL ?? ""),
    ...await storeWarnings(db, sealer, now),
  ];
}

/** The warnings about passkeys that the address of this server makes useless. */
export async function passkeyWarnings(db: Connection, publicUrl: string): Promise<string[]> {
  const rp_id = passkeyHostOf(publicUrl) ?? "";
  const n = await countPasskeysOfOtherHosts(db, { rp_id });
  if (n === 0) return [];
  const here = rp_id === "" ? "an address that can have no passkeys" : rp_id;
  const [made, they] = n === 1
    ? ["1 passkey was", "it signs"]
    : [`${n} passkeys were`, "they sign"];
  return [
    `${made} made for another address than ${here}, which KEYDESK_PUBLIC_URL says: ${they} in at the former address only. Set it back, or let their people in anew by invitations or \`keydesk console\`.`,
  ];
}

/** The organisations where no approval goes through, since each was to be signed. */
export async function closedWarnings(db: Connection): Promise<string[]> {
  return (await closedApprovals(db)).map((org_id) =>
    `Approvals are closed in the organisation ${org_id}: each was to be signed by a passkey, which this release does not ask for. An administrator sets it anew in Settings, Sign-in, or by \`signed_approvals\` of PUT /v1/sign-in-rules.`
  );
}

const WHOLE_LIMITS =
  "KEYDESK_REUSE_PORT is set, and KEYDESK_PROCESSES says 1: each process lets through the whole of a rate, and of failed authentications; say how many there are.";

/** The warnings except those about plans. Without a sealer, checksums are left out. */
export async function storeWarnings(
  db: Connection,
  sealer: Sealer | undefined,
  now: number,
): Promise<string[]> {
  return [
    ...sealer ? await demandWarnings(db, sealer) : [],
    ...sharedSsoKeyWarnings(await sharedSsoKeysOfAll(db)),
    ...sharedEmailWarnings(await sharedEmailsOfAll(db)),
    ...await closedWarnings(db),
    ...await dailyWarnings(db, now),
  ];
}

/** The daily warnings: conditions that arise while a server runs, a sentence each. */
export async function dailyWarnings(db: Connection, now: number): Promise<string[]> {
  return endingTokenWarnings(await tokensEndingOfAll(db, now), now);
}
