import type { z } from "zod";
import { demandWarnings } from "../../changes/checksum-demand.store.ts";
import { damagesOf, damageWarnings } from "../../changes/damages.store.ts";
import type { RequestContext } from "../../calls/context.ts";
import { sharedEmailsOf } from "../../features/developers/folded-emails.store.ts";
import { sharedEmailWarnings } from "../../features/developers/folded-emails.ts";
import { tokensEnding } from "../../features/access/ending-tokens.store.ts";
import { endingTokenWarnings } from "../../features/access/ending-tokens.ts";
import { sharedSsoKeysOf } from "../../features/developers/sso-keys.store.ts";
import { sharedSsoKeyWarnings } from "../../features/developers/sso-keys.ts";
import { unknownPlansOf } from "../../features/plans/unknown-plans.store.ts";
import { MOST_NAMED, unknownPlanWarnings } from "../../features/plans/unknown-plans.ts";
import { describeWriting } from "../../http/readiness.ts";
import { PURGE_HELD_BACK } from "../retention/purge-held-back.ts";
import type { serverInfo } from "./server-info.contract.ts";
import { schemaVersion } from "./server-info.store.ts";

/** What runs here: no path, address or secret among it, because every organisation's administrators may ask. */
export async function describe(
  ctx: RequestContext,
  version: string,
): Promise<z.output<typeof serverInfo>> {
  const { storage: { reader }, sealer, clock, settings, troubles, principal: { org_id } } = ctx;
  const unknown = await unknownPlansOf(reader, org_id);
  return {
    version,
    engine: reader.dialect,
    schema_version: await schemaVersion(reader),
    uptime_seconds: Math.floor(performance.now() / 1000),
    pid: Deno.pid,
    warnings: [
      ...troubles.current().filter(({ name }) => name === PURGE_HELD_BACK)
        .map(({ reason }) => reason),
      ...await demandWarnings(reader, sealer),
      ...damageWarnings(await damagesOf(reader, org_id)),
      ...unknownPlanWarnings(settings.unknownPlan, unknown),
      ...sharedSsoKeyWarnings(await sharedSsoKeysOf(reader, org_id)),
      ...sharedEmailWarnings(await sharedEmailsOf(reader, org_id)),
      ...endingTokenWarnings(await tokensEnding(reader, org_id, clock.now()), clock.now()),
    ],
    unknown_plans: {
      count: unknown.length,
      plans: unknown.slice(0, MOST_NAMED).map(({ id, deleted }) => ({
        id,
        deleted: deleted === 1,
      })),
    },
    writing: describeWriting(ctx),
    failed_reads: ctx.storage.stats().failedReads,
    troubles: [...ctx.troubles.current()],
    settings: {
      page_size: settings.pageSize,
      references: settings.references,
      unknown_plan: settings.unknownPlan,
      mask_secrets: settings.maskSecrets,
      certs_filter: settings.filterAlways ? "always" : "detailed",
      certs_answer: settings.originalCertificateLists ? "original" : "full",
      pending_per_developer: settings.pendingLimits.developer,
      pending_per_organisation: settings.pendingLimits.organisation,
      request_bytes: settings.requestBytes,
      processes: settings.processes,
    },
  };
}
