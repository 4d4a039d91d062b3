import { z } from "zod";
import { changeBy } from "../../../calls/change-by.ts";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf } from "../../../calls/principal.ts";
import { findMute } from "../../../changes/alert-mutes.store.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { nullable } from "../../../contract/v1.ts";
import { integer, text, timestamp } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { renewalOf } from "../../certificates/certificate-renewals.service.ts";
import { fingerprintOf, isPublicKey } from "../../certificates/certificate.ts";
import { findCertificate } from "../../certificates/certificates.store.ts";
import { isInvalid } from "../../../../packages/x509/certificate.ts";
import { coverageOfCaller, isSeenBy } from "../../plans/coverage.ts";
import { type AlertObject, type AlertRules, nextAlert } from "./alert.ts";
import { findAlert, findEndOfKey, nameOfPerson, rulesOf } from "./alerts.store.ts";
import { changeRules, muteAlerts, unmuteAlerts } from "./alerts.transactions.ts";
import { channelFacts } from "./channel-facts.ts";
import { type Facts, whyOf } from "./why.ts";

const tag = "Alerts";

/** The rules that decide, in the order in which they run. */
export const rules = ["due", "renewed", "channels", "mute", "sending"] as const;

/** The possible reasons for the state of the newest alert. */
const conclusions = [
  "no_end",
  "revoked",
  "no_rules",
  "not_due",
  "not_notified",
  "renewed",
  "no_recipient",
  "channel_paused",
  "muted",
  "waiting",
  "delivery_failed",
  "host_not_named",
  "notified",
] as const;

const moment = z.strictObject({
  at: timestamp,
  days: integer.meta({ description: "Days before the end; 0: the end itself." }),
});

/** Why an alert was sent or was not. */
export const alertReport = z.strictObject({
  object: z.enum(["certificate", "key"]),
  id: text,
  expires_at: nullable(text),
  owner: nullable(text).meta({ description: "The owner of a certificate; null for keys." }),
  title: text.meta({ description: "`What was sent?` where anything arrived." }),
  result: z.enum(conclusions).meta({
    description: "The rule that decided about the newest alert.",
  }),
  decided_by: z.enum(rules),
  answer: text.meta({ description: "The result as a sentence." }),
  needs_attention: z.boolean().meta({ description: "True: a person should act." }),
  next_alert: nullable(moment),
  held_back: z.boolean().meta({ description: "True: a mute lasts until after the next alert." }),
  last_alert: nullable(moment),
  renewed_by: nullable(text),
  mute: nullable(z.strictObject({
    until: timestamp,
    reason: text,
    muted_at: timestamp,
    muted_by: text.meta({ description: "The person's name." }),
  })),
  rules: z.array(z.strictObject({
    rule: z.enum(rules),
    result: z.enum(["passed", "decided", "not_reached"]),
    says: text,
  })).meta({ description: "In the order in which they run, up to the one that decided." }),
  channels: z.array(z.strictObject({
    id: text,
    name: text,
    kind: z.enum(["webhook", "mail"]),
    has_recipient: z.boolean()
      .meta({ description: "False: it sends mails, and no recipient has an address." }),
    state: z.enum(["active", "paused"]),
    paused_since: nullable(timestamp),
    delivery_id: nullable(text).meta({ description: "Of the newest alert." }),
    delivery: nullable(z.enum(["waiting", "delivered", "dead"])),
    ended_at: nullable(timestamp),
    error: text.meta({ description: "Why the newest try failed." }),
  })).meta({ description: "People who want such alerts, 100 at the most." }),
}).meta({ id: "AlertReport" });

const ruleSet = {
  days: z.array(z.int().min(1).max(365)).max(12)
    .meta({ description: "Days before expiry at which an alert is sent; empty: none." }),
  at_end: z.boolean().meta({ description: "Whether an alert is sent at expiry itself." }),
};

/** When alerts of expiry are sent. */
const alertRules = z.strictObject(ruleSet).meta({ id: "AlertRules" });

/** Reads the rules. */
export const getAlertRules = operation({
  id: "getAlertRules",
  method: "GET",
  path: "/v1/settings/alerts",
  tag,
  summary: "Read how long before certificates and keys expire alerts are sent",
  description: "By default: 60, 30, 14, 7, 3 and 1 days before and at expiry.",
  permission: ["admin:read"],
  response: alertRules,
  errors: [],
  serve: async (ctx) => toRules(await rulesOf(ctx.storage.reader, ctx.principal.org_id)),
});

/** Other rules. */
export const setAlertRules = operation({
  id: "setAlertRules",
  method: "PUT",
  path: "/v1/settings/alerts",
  tag,
  summary: "Set how long before certificates and keys expire alerts are sent",
  description: "A new rule sends no alerts for earlier times.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.strictObject(ruleSet).meta({ id: "AlertRulesInput" }),
  response: alertRules,
  errors: [...bodyErrors, "managed_by_file"],
  example: { days: [60, 30, 14, 7, 3, 1], at_end: true },
  async serve(ctx, { body: rules }) {
    return toRules(await changeBy(ctx, changeRules, { rules }));
  },
});

const muteBody = z.object({
  until: timestamp,
  reason: z.string().trim().min(1).max(500),
}).meta({ id: "MuteInput" });

const muteExample = { until: "2036-01-31T09:00:00Z", reason: "Renewal ordered." };

/** About a certificate. */
export const getCertificateAlerts = operation({
  id: "getCertificateAlerts",
  method: "GET",
  path: "/v1/certificates/{id}/alerts",
  tag,
  summary: "Why was nothing sent? Or what was, about the end of a certificate",
  description: "With each rule in the order in which they run, up to the one that decided.",
  permission: ["certs:read"],
  withinTemporaryAccess: true,
  response: alertReport,
  errors: ["certificate_not_found"],
  serve: (ctx, { params }) => report(ctx, "certificate", params.id),
});

/** No alerts for a while. */
export const muteCertificate = operation({
  id: "muteCertificateAlerts",
  method: "PUT",
  path: "/v1/certificates/{id}/mute",
  tag,
  summary: "Mute the expiry alerts of a certificate until a time",
  description: "Alerts that fall due meanwhile are not sent afterwards.",
  permission: ["certs:write"],
  withinTemporaryAccess: true,
  body: muteBody,
  response: alertReport,
  errors: [...bodyErrors, "certificate_not_found"],
  example: muteExample,
  serve: (ctx, { params, body }) => mute(ctx, "certificate", params.id, body),
});

/** Alerts again. */
export const unmuteCertificate = operation({
  id: "unmuteCertificateAlerts",
  method: "DELETE",
  path: "/v1/certificates/{id}/mute",
  tag,
  summary: "Lift the mute of a certificate's alerts",
  description: "If there is none, nothing is done.",
  permission: ["certs:write"],
  withinTemporaryAccess: true,
  response: alertReport,
  errors: ["certificate_not_found"],
  serve: (ctx, { params }) => unmute(ctx, "certificate", params.id),
});

/** About a key. */
export const getKeyAlerts = operation({
  id: "getKeyAlerts",
  method: "GET",
  path: "/v1/keys/{key_id}/alerts",
  tag,
  summary: "Why was nothing sent? Or what was, about the end of a key",
  description: "As for certificates.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  response: alertReport,
  errors: ["not_found"],
  serve: (ctx, { params }) => report(ctx, "key", params.key_id),
});

/** No alerts for a while. */
export const muteKey = operation({
  id: "muteKeyAlerts",
  method: "PUT",
  path: "/v1/keys/{key_id}/mute",
  tag,
  summary: "Mute the expiry alerts of a key until a time",
  description: "Alerts that fall due meanwhile are not sent afterwards.",
  permission: ["approve"],
  withinScope: true,
  withinTemporaryAccess: true,
  body: muteBody,
  response: alertReport,
  errors: [...bodyErrors, "not_found"],
  example: muteExample,
  serve: (ctx, { params, body }) => mute(ctx, "key", params.key_id, body),
});

/** Alerts again. */
export const unmuteKey = operation({
  id: "unmuteKeyAlerts",
  method: "DELETE",
  path: "/v1/keys/{key_id}/mute",
  tag,
  summary: "Lift the mute of a key's alerts",
  description: "If there is none, nothing is done.",
  permission: ["approve"],
  withinScope: true,
  withinTemporaryAccess: true,
  response: alertReport,
  errors: ["not_found"],
  serve: (ctx, { params }) => unmute(ctx, "key", params.key_id),
});

type Report = z.output<typeof alertReport>;

function toRules({ days, at_end }: AlertRules): { days: number[]; at_end: boolean } {
  return { days: [...days], at_end };
}

/** Mutes an object's alerts. Throws `invalid_input` for a past time, and what `report` throws. */
async function mute(
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
async function unmute(ctx: RequestContext, object: AlertObject, id: string) {
  await changeBy(ctx, unmuteAlerts, { object, object_id: id });
  return await report(ctx, object, id);
}

/** Why an alert was sent or was not. Throws `certificate_not_found` or `not_found`. */
async function report(
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
  const channels = await channelFacts(reader, { org_id, object, id }, alert);
  const mutedBy = alert?.outcome === "muted" ? mutedOf(alert.reason) : undefined;
  const facts: Facts = {
    object,
    now,
    rules,
    ...end,
    alert,
    channels,
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
    expires_at: end.ends_at,
    owner: end.owner,
    ...whyOf(facts, next),
    next_alert: next,
    held_back: next !== null && facts.mute !== null && facts.mute.until > next.at,
    last_alert: alert ? { at: alert.at, days: alert.days } : null,
    renewed_by: end.renewed_by,
    mute: facts.mute,
    channels,
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
