import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";

const tag = "Alerts";

/** The rules that decide, in the order in which they run. */
export const rules = ["due", "renewed", "targets", "mute", "sending"] as const;

/** What may decide about the newest alert. */
const verdicts = [
  "no_end",
  "revoked",
  "no_rules",
  "not_due",
  "not_told",
  "renewed",
  "no_recipient",
  "target_paused",
  "muted",
  "waiting",
  "delivery_failed",
  "host_not_named",
  "told",
] as const;

const moment = z.strictObject({
  at: timestamp,
  days: integer.meta({ description: "Days before the end; 0: the end itself." }),
});

/** Why something was told or was not. */
export const alertReport = z.strictObject({
  object: z.enum(["certificate", "key"]),
  id: text,
  ends_at: nullable(text),
  owner: nullable(text).meta({ description: "Who cares for a certificate; null for keys." }),
  title: text.meta({ description: "`What was sent?` where anything arrived." }),
  verdict: z.enum(verdicts).meta({ description: "What decided about the newest alert." }),
  decided_by: z.enum(rules),
  answer: text.meta({ description: "The verdict as a sentence." }),
  needs_attention: z.boolean().meta({ description: "True: somebody should do something." }),
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
  targets: z.array(z.strictObject({
    id: text,
    name: text,
    kind: z.enum(["webhook", "mail"]),
    has_recipient: z.boolean()
      .meta({ description: "False: it sends mails, and nobody has an address." }),
    state: z.enum(["active", "paused"]),
    paused_since: nullable(timestamp),
    delivery_id: nullable(text).meta({ description: "Of the newest alert." }),
    delivery: nullable(z.enum(["waiting", "delivered", "dead"])),
    ended_at: nullable(timestamp),
    error: text.meta({ description: "Why the newest try failed." }),
  })).meta({ description: "Who wants such alerts, 100 at the most." }),
}).meta({ id: "AlertReport" });

const ruleSet = {
  days: z.array(z.int().min(1).max(365)).max(12)
    .meta({ description: "Days before an end at which it is told of; empty: at none." }),
  at_end: z.boolean().meta({ description: "Whether it is told of the end itself." }),
};

/** When it is told of ends. */
const alertRules = z.strictObject(ruleSet).meta({ id: "AlertRules" });

/** What the rules are. */
export const getAlertRules = defineEndpoint({
  id: "getAlertRules",
  method: "GET",
  path: "/v1/settings/alerts",
  tag,
  summary: "Read how long before ends of certificates and keys it is told of them",
  description: "Where nobody set it, 60, 30, 14, 7, 3 and 1 days before and at the end.",
  permission: ["admin:read"],
  response: alertRules,
  errors: [],
});

/** Other rules. */
export const setAlertRules = defineEndpoint({
  id: "setAlertRules",
  method: "PUT",
  path: "/v1/settings/alerts",
  tag,
  summary: "Set how long before ends of certificates and keys it is told of them",
  description: "A rule that is new tells of nothing that it would have told of earlier.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.strictObject(ruleSet).meta({ id: "AlertRulesInput" }),
  response: alertRules,
  errors: [...bodyErrors],
  example: { days: [60, 30, 14, 7, 3, 1], at_end: true },
});

const muteBody = z.object({
  until: timestamp,
  reason: z.string().trim().min(1).max(500),
}).meta({ id: "MuteInput" });
const muteExample = { until: "2036-01-31T09:00:00Z", reason: "Renewal ordered." };

/** About a certificate. */
export const getCertificateAlerts = defineEndpoint({
  id: "getCertificateAlerts",
  method: "GET",
  path: "/v1/certificates/{id}/alerts",
  tag,
  summary: "Why was nothing sent? Or what was, about the end of a certificate",
  description: "With each rule in the order in which they run, up to the one that decided.",
  permission: ["certs:read"],
  withinElevation: true,
  response: alertReport,
  errors: ["certificate_not_found"],
});

/** No alerts for a while. */
export const muteCertificate = defineEndpoint({
  id: "muteCertificateAlerts",
  method: "PUT",
  path: "/v1/certificates/{id}/mute",
  tag,
  summary: "Tell nobody of the end of a certificate until a time",
  description: "What falls due meanwhile is not sent afterwards.",
  permission: ["certs:write"],
  withinElevation: true,
  body: muteBody,
  response: alertReport,
  errors: [...bodyErrors, "certificate_not_found"],
  example: muteExample,
});

/** Alerts again. */
export const unmuteCertificate = defineEndpoint({
  id: "unmuteCertificateAlerts",
  method: "DELETE",
  path: "/v1/certificates/{id}/mute",
  tag,
  summary: "Lift the mute of a certificate's alerts",
  description: "Where there is none, nothing is done.",
  permission: ["certs:write"],
  withinElevation: true,
  response: alertReport,
  errors: ["certificate_not_found"],
});

/** About a key. */
export const getKeyAlerts = defineEndpoint({
  id: "getKeyAlerts",
  method: "GET",
  path: "/v1/keys/{key_id}/alerts",
  tag,
  summary: "Why was nothing sent? Or what was, about the end of a key",
  description: "As for certificates.",
  permission: ["portal:read"],
  withinScope: true,
  withinElevation: true,
  response: alertReport,
  errors: ["not_found"],
});

/** No alerts for a while. */
export const muteKey = defineEndpoint({
  id: "muteKeyAlerts",
  method: "PUT",
  path: "/v1/keys/{key_id}/mute",
  tag,
  summary: "Tell nobody of the end of a key until a time",
  description: "What falls due meanwhile is not sent afterwards.",
  permission: ["approve"],
  withinScope: true,
  withinElevation: true,
  body: muteBody,
  response: alertReport,
  errors: [...bodyErrors, "not_found"],
  example: muteExample,
});

/** Alerts again. */
export const unmuteKey = defineEndpoint({
  id: "unmuteKeyAlerts",
  method: "DELETE",
  path: "/v1/keys/{key_id}/mute",
  tag,
  summary: "Lift the mute of a key's alerts",
  description: "Where there is none, nothing is done.",
  permission: ["approve"],
  withinScope: true,
  withinElevation: true,
  response: alertReport,
  errors: ["not_found"],
});
