import { z } from "zod";
import { nameText } from "../../contract/labels.ts";
import { presentAction } from "../../contract/former-names.ts";
import { nullable } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";
import { nearNames } from "../../kernel/near-name.ts";
import { mailInput, mailView } from "./mail.contract.ts";
import { topicObjects, topicPatterns, topics } from "./topics.contract.ts";

const known = topics.map(({ topic }) => topic);

const ofObjects = topicObjects.map(({ object }) => `${object}.*`);

/** The problem of a pattern that fits no topic, and the nearest one; undefined: one fits. */
export function unknownPattern(pattern: string): string | undefined {
  if (topicPatterns.has(pattern)) return undefined;
  const present = presentAction(pattern);
  if (topicPatterns.has(present)) return `it is ${present} since 0.9.0`;
  const [near] = nearNames(pattern, pattern.endsWith("*") ? ofObjects : known);
  const ofObject = `${pattern.split(".")[0]}.*`;
  const meant = near ?? (topicPatterns.has(ofObject) ? ofObject : undefined);
  return meant === undefined
    ? "no topic fits; the reference lists every topic under Webhooks"
    : `no topic fits; the nearest is ${meant}`;
}

/** The forms that a message can have. */
const templates = ["standard", "slack", "teams", "discord"] as const;

/** A notification channel. */
export const channel = z.strictObject({
  id: text,
  kind: z.enum(["webhook", "mail"]),
  name: text,
  url: text.meta({ description: "Of a webhook; else empty." }),
  template: z.enum(templates),
  mail: nullable(mailView).meta({ description: "Of a mail channel; else null." }),
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
      "The host that `KEYDESK_OUTBOUND` must name before anything can be sent to the URL; null: it is named.",
  }),
  missing_settings: z.array(text).meta({
    description:
      "Of a mail channel: the server's settings without which no mail is sent, or none with a link.",
  }),
}).meta({ id: "Channel" });

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
      "The form of the body: that of Standard Webhooks, or a text for a chat in Slack, Teams or Discord.",
  }),
  topics: z.array(pattern).min(1).max(100).default(["*"]),
  mail: mailInput.optional().meta({ description: "Of a mail channel." }),
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

/** Whether no one between can read what is sent. */
function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password, href } = new URL(url);
  if (username !== "" || password !== "" || href.length > LONGEST_URL) return false;
  return protocol === "https:" || protocol === "http:" &&
      (hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname));
}

/** The body of `createChannel`. */
export const channelInput = z.object({
  kind: z.enum(["webhook", "mail"]).default("webhook"),
  ...written,
})
  .meta({ id: "ChannelInput" });

/** The body of `updateChannel`. */
export const channelChange = z.object(written).meta({ id: "ChannelChange" });

/** The answer of `testChannel`. */
export const channelTest = z.strictObject({
  ok: z.boolean().meta({ description: "True: it was taken." }),
  status: integer.meta({ description: "0: there was no answer." }),
  duration_ms: integer,
  answer: text.meta({ description: "Up to 4 KiB of the answer's body." }),
  error: text.meta({ description: "The reason for no answer." }),
}).meta({ id: "ChannelTest" });
