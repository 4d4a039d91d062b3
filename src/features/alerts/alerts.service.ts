import { findMute } from "../../changes/alert-mutes.store.ts";
import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { renewalOf } from "../certificates/certificate-renewals.service.ts";
import { fingerprintOf, isPublicKey } from "../certificates/certificate.ts";
import { isInvalid } from "../certificates/reading/certificate.ts";
import { findCertificate } from "../certificates/certificates.store.ts";
import { coverageOfCaller, isSeenBy } from "../plans/coverage.ts";
import { type AlertObject, type AlertRules, nextAlert } from "./alert.ts";
import type { alertReport } from "./alerts.contract.ts";
import { findAlert, findEndOfKey, nameOfPerson, rulesOf } from "./alerts.store.ts";
import { changeRules, muteAlerts, unmuteAlerts } from "./alerts.transactions.ts";
import { targetFacts } from "./target-facts.ts";
import { type Facts, whyOf } from "./why.ts";

type Report = z.output<typeof alertReport>;

/** When it is told of ends. */
export async function getRules(ctx: RequestContext): Promise<{ days: number[]; at_end: boolean }> {
  return shown(await rulesOf(ctx.storage.reader, ctx.principal.org_id));
}

/** Sets when it is told of ends. */
export async function putRules(ctx: RequestContext, rules: AlertRules) {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return shown(await ctx.storage.commit(changeRules, { actor, rules }));
}

function shown({ days, at_end }: AlertRules): { days: number[]; at_end: boolean } {
  return { days: [...days], at_end };
}

/** Mutes an object's alerts. Throws `invalid_input` for a past time, and what `report` throws. */
export async function mute(
  ctx: RequestContext,
  object: AlertObject,
  id: string,
  { until, reason }: { until: string; reason: string },
): Promise<Report> {
  const now = ctx.clock.now();
  if (Date.parse(until) <= now) {
    const message = "until: expected a time to come";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const actor = actorOf(ctx.principal, now);
  const end = toTimestamp(Date.parse(until));
  await ctx.storage.commit(muteAlerts, { actor, object, object_id: id, until: end, reason });
  return await report(ctx, object, id);
}

/** Lifts a mute. Throws what `report` throws. */
export async function unmute(ctx: RequestContext, object: AlertObject, id: string) {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(unmuteAlerts, { actor, object, object_id: id });
  return await report(ctx, object, id);
}

/** Why an alert was sent or was not. Throws `certificate_not_found` or `not_found`. */
export async function report(
  ctx: RequestContext,
  object: AlertObject,
  id: string,
): Promise<Report> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const now = clock.now();
  const of = { org_id, object, object_id: id };
  const end = await (object === "key" ? endOfKey(ctx, id) : endOfCertificate(ctx, id));
  const rules = await rulesOf(reader, org_id);
  const found = await findAlert(reader, of);
  // A key whose end was moved has had no alert of its new one yet.
  const alert = found && found.ends_at === end.ends_at ? found : null;
  const muted = await findMute(reader, { ...of, now: toTimestamp(now) });
  const targets = await targetFacts(reader, { org_id, object, id }, alert);
  const mutedBy = alert?.outcome === "muted" ? mutedOf(alert.reason) : undefined;
  const facts: Facts = {
    object,
    now,
    rules,
    ...end,
    alert,
    targets,
    mute: muted
      ? {
        until: muted.expires_at,
        reason: muted.reason,
        muted_at: muted.muted_at,
        muted_by: await nameOfPerson(reader, org_id, muted.muted_by),
      }
      : null,
    wasMuted: mutedBy
      ? { until: mutedBy.until, by: await nameOfPerson(reader, org_id, mutedBy.by) }
      : null,
  };
  const next = end.ends_at === null || end.revoked || end.renewed_by !== null
    ? null
    : nextAlert(rules, end.ends_at, now) ?? null;
  return {
    object,
    id,
    ends_at: end.ends_at,
    owner: end.owner,
    ...whyOf(facts, next),
    next_alert: next,
    held_back: next !== null && facts.mute !== null && facts.mute.until > next.at,
    last_alert: alert ? { at: alert.at, days: alert.days } : null,
    renewed_by: end.renewed_by,
    mute: facts.mute,
    targets,
  };
}

type End = Pick<
  Facts,
  "ends_at" | "never_valid" | "owner" | "revoked" | "suspended" | "renewed_by" | "renewal_says"
>;

async function endOfKey({ storage, principal }: RequestContext, id: string): Promise<End> {
  const row = await findEndOfKey(storage.reader, { org_id: principal.org_id, key_id: id });
  const coverage = await coverageOfCaller(storage.reader, principal);
  if (!row || !isSeenBy(coverage, row)) throw new Failure("not_found");
  return {
    ends_at: row.expires_at,
    never_valid: false,
    owner: null,
    renewed_by: row.replaced_by,
    renewal_says: "",
    revoked: row.state === "revoked",
    suspended: row.state === "suspended",
  };
}

async function endOfCertificate(ctx: RequestContext, id: string): Promise<End> {
  const { storage, principal } = ctx;
  const { org_id } = principal;
  const fingerprint = fingerprintOf(org_id, id);
  const row = fingerprint && await findCertificate(storage.reader, { org_id, fingerprint });
  if (!row) throw new Failure("certificate_not_found");
  const { renewed_by, says } = await renewalOf(ctx, id);
  return {
    ends_at: isPublicKey(row) || isInvalid(row) ? null : row.not_after,
    never_valid: isInvalid(row),
    owner: row.owner ?? "",
    renewed_by,
    renewal_says: says,
    revoked: false,
    suspended: false,
  };
}

function mutedOf(reason: string): { by: string; until: string } {
  // as: alerts.transactions.ts writes this.
  return JSON.parse(reason) as { by: string; until: string };
}
