import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { demandWarnings } from "../../changes/checksum-demand.store.ts";
import { damagesOf, damageWarnings } from "../../changes/damages.store.ts";
import { configState } from "../../features/config/config-state.ts";
import { endingTokenWarnings } from "../../features/people/access-token.ts";
import { tokensEnding } from "../../features/people/access-tokens.store.ts";
import { findFirstOrganisation } from "../../features/people/organisations.store.ts";
import { sharedEmailsOf } from "../../features/developers/folded-emails.store.ts";
import { sharedEmailWarnings } from "../../features/developers/folded-emails.ts";
import { sharedSsoKeysOf } from "../../features/developers/sso-keys.store.ts";
import { sharedSsoKeyWarnings } from "../../features/developers/sso-keys.ts";
import { providerWarnings } from "../../features/people/identity-providers/provider-warnings.ts";
import { unknownPlansOf } from "../../features/plans/unknown-plans.store.ts";
import { MOST_NAMED, unknownPlanWarnings } from "../../features/plans/unknown-plans.ts";
import type { WithVerifier } from "../../features/verification/verifier.ts";
import { operation } from "../../http/operation.ts";
import { describeWriting } from "../../http/readiness.ts";
import { commandName } from "../../kernel/command-name.ts";
import { version } from "../../kernel/version.ts";
import type { Connection } from "../../storage/storage.ts";
import { nodesOf } from "../nodes/nodes.service.ts";
import type { WithNode } from "../nodes/this-node.ts";
import { lastRestore } from "../restored/last-restore.store.ts";
import { PURGE_DELAYED } from "../retention/purge-lag.ts";
import { headsGoToChannels } from "../audit-log/head-news.ts";
import { lastBackup, worthSavingSince } from "./last-backup.store.ts";
import { serverInfo } from "./server-info.contract.ts";
import { schemaVersion } from "./server-info.store.ts";

/** Reads the administrators' data of the server. */
export const getServerInfo = operation({
  id: "getServerInfo",
  method: "GET",
  path: "/v1/server",
  tag: "Operations",
  summary:
    "Version, engine, schema, uptime, the settings that answers depend on, and what should be known",
  description: "No secret is among them.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  response: serverInfo,
  errors: [],
  async serve(ctx: RequestContext & WithNode & WithVerifier) {
    const { storage: { reader }, sealer, clock, settings, problems, principal: { org_id } } = ctx;
    // At once: to a database that is far away, one after another would take as often as long.
    const [
      unknown,
      damaged,
      schema_version,
      demands,
      ssoKeys,
      emails,
      tokens,
      backup,
      nodes,
      toChannels,
      restored,
      providers,
      config,
    ] = await Promise.all([
      unknownPlansOf(reader, { org_id }),
      damagesOf(reader, { org_id }),
      schemaVersion(reader),
      demandWarnings(reader, sealer),
      sharedSsoKeysOf(reader, { org_id }),
      sharedEmailsOf(reader, { org_id }),
      tokensEnding(reader, org_id, clock.now()),
      backupOf(reader, org_id),
      nodesOf(ctx, org_id, version),
      headsGoToChannels(reader, org_id),
      restoredLately(reader, org_id, clock.now()),
      providerWarnings(reader, sealer, org_id, clock.now()),
      configState(reader, org_id, clock.now()),
    ]);
    const damages = damageWarnings(damaged);
    return {
      version,
      command: commandName(),
      engine: reader.dialect,
      schema_version,
      uptime_seconds: Math.floor(performance.now() / 1000),
      pid: Deno.pid,
      warnings: [
        ...problems.current().filter(({ name }) => name === PURGE_DELAYED)
          .map(({ reason }) => reason),
        ...ctx.storage.warnings ?? [],
        ...demands,
        ...damages,
        ...unknownPlanWarnings(settings.unknownPlan, unknown),
        ...sharedSsoKeyWarnings(ssoKeys),
        ...sharedEmailWarnings(emails),
        ...endingTokenWarnings(tokens, clock.now()),
        ...providers,
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
      problems: [...ctx.problems.current()],
      damages,
      backup,
      restored,
      nodes,
      config,
      checkpoints_go_to: [
        ...toChannels ? ["channels"] as const : [],
        ...settings.headsGo.file ? ["file"] as const : [],
        ...settings.headsGo.witnesses ? ["witnesses"] as const : [],
      ],
      settings: settingsView(settings),
    };
  },
});

/** The settings that answers depend on. */
function settingsView(settings: RequestContext["settings"]) {
  return {
    page_size: settings.pageSize,
    references: settings.references,
    unknown_plan: settings.unknownPlan,
    mask_secrets: settings.maskSecrets,
    certs_filter: settings.filterAlways ? "always" as const : "detailed" as const,
    certs_answer: settings.originalCertificateLists ? "original" as const : "full" as const,
    pending_per_developer: settings.pendingLimits.developer,
    pending_per_organisation: settings.pendingLimits.organisation,
    request_bytes: settings.requestBytes,
    revoke_rate_limit: settings.revokeRateLimit,
    processes: settings.processes,
  };
}

/** For how long a restore is reported. */
const RESTORE_REPORTED_MS = 7 * 24 * 60 * 60 * 1000;

async function restoredLately(
  db: Connection,
  org_id: string,
  now: number,
): Promise<z.output<typeof serverInfo>["restored"]> {
  const restored = await lastRestore(db, org_id);
  if (!restored || now - Date.parse(restored.at) >= RESTORE_REPORTED_MS) return null;
  const { at, known, reopened, counts } = restored;
  return { at, known, reopened, counts: { ...counts } };
}

async function backupOf(
  db: Connection,
  org_id: string,
): Promise<z.output<typeof serverInfo>["backup"]> {
  const [at, first] = await Promise.all([lastBackup(db, org_id), findFirstOrganisation(db)]);
  if (at !== undefined) return { at, missing_since: null };
  const isFirst = first?.id === org_id;
  return { at: null, missing_since: isFirst ? await worthSavingSince(db, org_id) ?? null : null };
}
