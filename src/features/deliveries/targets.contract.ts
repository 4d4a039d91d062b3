import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { nameText } from "../../contract/labels.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";
import { nearNames } from "../../kernel/near-name.ts";
import { mailInput, shownMail } from "./mail.contract.ts";
import { topicObjects, topicPatterns, topics } from "./topics.contract.ts";

const known = topics.map(({ topic }) => topic);
const ofObjects = topicObjects.map(({ object }) => `${object}.*`);

/** What is wrong with a pattern that no topic fits, and the nearest one; undefined: one fits. */
export function unknownPattern(pattern: string): string | undefined {
  if (topicPatterns.has(pattern)) return undefined;
  const [near] = nearNames(pattern, pattern.endsWith("*") ? ofObjects : known);
  const ofObject = `${pattern.split(".")[0]}.*`;
  const meant = near ?? (topicPatterns.has(ofObject) ? ofObject : undefined);
  return meant === undefined
    ? "no topic fits; the reference lists every topic under Webhooks"
    : `no topic fits; the nearest is ${meant}`;
}

const tag = "Targets";

/** The forms that a message can have. */
const templates = ["standard", "slack", "teams", "discord"] as const;

/** Who is told of changes. */
export const target = z.strictObject({
  id: text,
  kind: z.enum(["webhook", "mail"]),
  name: text,
  url: text.meta({ description: "Of a webhook; else empty." }),
  template: z.enum(templates),
  mail: nullable(shownMail).meta({ description: "Of a target of mails; else null." }),
  topics: z.array(text),
  state: z.enum(["active", "paused"]),
  state_reason: text.meta({ description: "`by hand`, `failing`, `gone` or `removed`." }),
  state_changed_at: timestamp,
  failing_since: nullable(timestamp).meta({
    description: "Since when nothing was delivered; null: the last try succeeded.",
  }),
  failures: integer.meta({ description: "How many tries failed since then." }),
  old_secret_until: nullable(timestamp).meta({
    description: "Until when the secret before the last rotation signs too.",
  }),
  created_at: timestamp,
  missing_outbound: nullable(text).meta({
    description:
      "What `KEYDESK_OUTBOUND` has to name before anything can be sent to the URL; null: it names it.",
  }),
  missing_settings: z.array(text).meta({
    description:
      "Of a target of mails: the server's settings without which no mail is sent, or none with a link.",
  }),
}).meta({ id: "Target" });

const withSecret = target.extend({
  secret: text.meta({
    description: "Signs what is sent; shown this once. Empty of a target of mails, which has none.",
  }),
}).meta({ id: "TargetWithSecret" });

const pattern = z.string().max(100).regex(/^(\*|[a-z_]+\.(\*|[a-z_]+))$/, {
  error: "expected a topic such as key_request.approved, a pattern such as key_request.*, or *",
  abort: true,
}).refine((one) => unknownPattern(one) === undefined, {
  error: ({ input }) => unknownPattern(String(input)) ?? "",
});

/** In its normal form too, which is longer where it has to escape. */
const LONGEST_URL = 2048;

const written = {
  name: nameText().min(1),
  url: safeUrl().optional().meta({
    description:
      "Of a webhook: an `https://` URL; `http://` for loopback alone. It is kept in the normal form of the URL standard, without a fragment.",
  }),
  template: z.enum(templates).default("standard").meta({
    description:
      "The form of the body: that of Standard Webhooks, or a text for a channel of Slack, Teams or Discord.",
  }),
  topics: z.array(pattern).min(1).max(100).default(["*"]),
  mail: mailInput.optional().meta({ description: "Of a target of mails." }),
};

/** A URL that may be called, in its normal form. `orNone`: or "". */
export function safeUrl({ orNone = false } = {}) {
  return z.string().max(LONGEST_URL).refine((text) => (orNone && text === "") || isSafe(text), {
    error: "expected an https:// URL without a user name; http:// is for this machine alone",
  }).overwrite(normalForm);
}

/**
 * A URL as it is called, so that two spellings of one are the same text; what is none stays for its
 * refusal.
 */
function normalForm(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  // Never sent.
  url.hash = "";
  return url.href;
}

/** Whether nobody between can read what is sent. */
function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password, href } = new URL(url);
  if (username !== "" || password !== "" || href.length > LONGEST_URL) return false;
  return protocol === "https:" || protocol === "http:" &&
      (hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname));
}

const example = {
  name: "Our portal",
  url: "https://portal.example.org/hooks/keydesk",
  topics: ["key_request.*", "credential.revoked"],
};

/** Targets. */
export const listTargets = defineEndpoint({
  id: "listTargets",
  method: "GET",
  path: "/v1/targets",
  tag,
  summary: "List who is told of changes, newest first",
  description: "No secret is shown.",
  permission: ["admin:read"],
  withinElevation: true,
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(target).meta({ id: "TargetList" }),
  errors: ["invalid_input"],
});

/** A further target. */
export const createTarget = defineEndpoint({
  id: "createTarget",
  method: "POST",
  path: "/v1/targets",
  tag,
  summary: "Add somebody who is told of changes; the secret is shown this once",
  description:
    "It is told of what changes from now on; what was before is sent by a replay. A webhook needs `url`, and its messages are signed as Standard Webhooks says. A target of mails, of which an organisation has one, takes `mail`.",
  permission: ["admin"],
  needsFreshSignIn: true,
  idempotent: true,
  body: z.object({ kind: z.enum(["webhook", "mail"]).default("webhook"), ...written })
    .meta({ id: "TargetInput" }),
  response: withSecret,
  errors: [...bodyErrors],
  example,
});

/** One target. */
export const getTarget = defineEndpoint({
  id: "getTarget",
  method: "GET",
  path: "/v1/targets/{id}",
  tag,
  summary: "Read a target",
  description: "No secret is shown.",
  permission: ["admin:read"],
  withinElevation: true,
  response: target,
  errors: ["not_found"],
});

/** What its owner writes, anew. */
export const updateTarget = defineEndpoint({
  id: "updateTarget",
  method: "PUT",
  path: "/v1/targets/{id}",
  tag,
  summary: "Replace name, URL, template, topics and words of a target",
  description: "What waits is sent to the new URL. Topics decide about what changes from now on.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: z.object(written).meta({ id: "TargetChange" }),
  response: target,
  errors: [...bodyErrors, "not_found"],
  example,
});

/** No target any more. */
export const deleteTarget = defineEndpoint({
  id: "deleteTarget",
  method: "DELETE",
  path: "/v1/targets/{id}",
  tag,
  summary: "Remove a target and what waits for it",
  description: "What was delivered stays in the list of deliveries.",
  permission: ["admin"],
  response: z.strictObject({
    dropped: integer.meta({ description: "How many messages waited or were given up." }),
  }).meta({ id: "RemovedTarget" }),
  errors: ["not_found"],
});

/** Stops sending. */
export const pauseTarget = defineEndpoint({
  id: "pauseTarget",
  method: "POST",
  path: "/v1/targets/{id}/pause",
  tag,
  summary: "Send a target nothing until it is resumed",
  description: "Messages wait, however long it takes, and no try of them is counted.",
  permission: ["admin"],
  response: target,
  errors: ["not_found"],
});

/** Goes on sending. */
export const resumeTarget = defineEndpoint({
  id: "resumeTarget",
  method: "POST",
  path: "/v1/targets/{id}/resume",
  tag,
  summary: "Go on with a paused target",
  description:
    "What waits is sent within five seconds, in its order, and has 24 hours again before it is given up.",
  permission: ["admin"],
  response: target,
  errors: ["not_found"],
});

/** Without waiting. */
export const deliverNow = defineEndpoint({
  id: "deliverNow",
  method: "POST",
  path: "/v1/targets/{id}/now",
  tag,
  summary: "Send a target what waits for its next try within five seconds",
  description:
    "In its order, spread over that time, whatever `Retry-After` said. What was given up is sent by a replay. A target that is paused is sent nothing until it is resumed.",
  permission: ["admin"],
  response: z.strictObject({
    woken: integer.meta({ description: "How many were to be tried later than that." }),
  }).meta({ id: "DeliveredNow" }),
  errors: ["not_found"],
});

/** Whether it works. */
export const testTarget = defineEndpoint({
  id: "testTarget",
  method: "POST",
  path: "/v1/targets/{id}/test",
  tag,
  summary: "Send a target a test at once, and give what it answers",
  description:
    "A message of the topic `target.tested`, signed as any other; of a target of mails a mail to whoever asks. It is no delivery: nothing waits for it, it is tried once, and a target that is paused gets it too.",
  permission: ["admin"],
  response: z.strictObject({
    ok: z.boolean().meta({ description: "True: it was taken." }),
    status: integer.meta({ description: "0: there was no answer." }),
    duration_ms: integer,
    answer: text.meta({ description: "Up to 4 KiB of the answer's body." }),
    error: text.meta({ description: "Why there was no answer." }),
  }).meta({ id: "TargetTest" }),
  errors: ["not_found"],
});

/** Another secret. */
export const rotateTargetSecret = defineEndpoint({
  id: "rotateTargetSecret",
  method: "POST",
  path: "/v1/targets/{id}/rotate",
  tag,
  summary: "Give a target a fresh secret, shown this once",
  description:
    "For `overlap_hours` everything is signed with both secrets. One that was replaced before, within its own overlap, ends at once.",
  permission: ["admin"],
  needsFreshSignIn: true,
  idempotent: true,
  body: z.object({ overlap_hours: z.int().min(0).max(168).default(24) })
    .meta({ id: "SecretRotation" }),
  bodyOptional: true,
  response: withSecret,
  errors: [...bodyErrors, "not_found"],
  example: { overlap_hours: 24 },
});
