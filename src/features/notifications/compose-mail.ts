import type { MailWord } from "../../contract/mail-names.ts";
import { problemOfAddress } from "../../kernel/mail-address.ts";
import { plainLine, plainText } from "../../kernel/plain-text.ts";
import { HANDED_OVER } from "../developers/email-proof.ts";
import { type EmailCopy, emailCopyIn, mailOptionsIn } from "./email-copy.ts";
import { htmlBody, type MailBody, plainBody } from "./mail-body.ts";
import { type MailFacts, OFFERED } from "./mail-facts.ts";
import type { MailConfig } from "./mail-config.ts";
import type { MailKind } from "../../contract/mail-kind.ts";
import { mailKind } from "../../contract/mail-kinds.ts";
import { isOfOne } from "../../contract/mail-placeholders.ts";
import { accessesOf, accessOf, limitsOf } from "./mail-access.ts";
import { mailLanguage, word } from "./mail-language.ts";
import {
  filled,
  type MailValues,
  nameInMail,
  oneLine,
  quotedName,
  type UnknownPlaceholders,
} from "./mail-words.ts";

/** The address of a one-time link, and its expiry. */
export interface MailLink {
  url: string;
  expires_at: string;
}

/** A mail as it is sent. It holds no key. */
export interface ComposedMail {
  from: { name: string; address: string };
  replyTo: string;
  subject: string;
  text: string;
  html: string;
  language: string;
  /** Placeholders that nothing is known of; they stand in the mail as they were written. */
  unknown: string[];
}

/** Thrown where a mail can't be made now; the message says which setting would change that. */
export class NoMail extends Error {}

const TEST: MailKind = {
  name: "developer.created",
  topic: "",
  to: "approvers",
  on: true,
  subject: "A test of mails from {{organisation}}",
  text: "Mails from {{organisation}} reach you.",
  why: "You get this because you asked for a test.",
};

/**
 * The mail that tells these facts, in the words of the portal's configuration where those are
 * enabled, else the channel's, else ours. `publicUrl`: what links begin with. Throws NoMail.
 */
export function composeMail(
  { facts: mailFacts, config: channel, publicUrl, defaultFrom, link, missing }: {
    facts: MailFacts;
    config: MailConfig;
    publicUrl: string;
    defaultFrom: string;
    /** Of an approval that hands its key over so, or that asks for a confirmation. */
    link?: MailLink | undefined;
    missing: number;
  },
): ComposedMail {
  const facts = plainFacts(mailFacts);
  const kind = facts.name === "test" ? TEST : mailKind(facts.name);
  const copy = facts.name !== "test" && kind.copy
    ? emailCopyIn(facts.configuration, kind.copy)
    : undefined;
  const template = facts.name === "test" ? {} : channel.mails[facts.name] ?? {};
  const isWorded = copy !== undefined || !!template.subject || !!template.text;
  const language = mailLanguage(kind, channel, { reads: facts.reads, isWorded });
  const { config } = language;
  const unknown: UnknownPlaceholders = new Set();
  const values = valuesOf(facts, config, copy);
  // A subject is shown by locked screens and kept by logs of mail servers.
  const { code: _, ...printed } = values;
  const theirs = { subject: copy?.subject || template.subject, text: copy?.body || template.text };
  const subject = oneLine(
    theirs.subject ? filled(theirs.subject, printed, unknown) : language.subject(printed, unknown),
  );
  const body: MailBody = {
    language: config.language,
    organisation: facts.organisation,
    colour: facts.colour,
    heading: subject,
    greeting: `${word(config, "hello")}${facts.recipientName && ` ${facts.recipientName}`},`,
    text: theirs.text ? filled(theirs.text, values, unknown) : language.text(values, unknown),
    code: facts.code,
    items: itemsOf(facts, publicUrl),
    button: buttonOf(facts, { publicUrl, link, label: template.button || language.button }),
    linkNote: link ? `${word(config, "link_expires")} ${timeIn(config, link.expires_at)}.` : "",
    copyLink: word(config, "copy_link"),
    rows: rowsOf(facts, config, copy),
    notes: [
      facts.waiting.length > 0 ? word(config, "sign_in") : "",
      link && facts.name === "key_request.approved" ? word(config, "not_requested") : "",
      missing > 0 ? `${word(config, "missing")} ${missing}` : "",
      facts.support === "" ? "" : `${word(config, "support")} ${facts.support}`,
    ].filter((note) => note !== ""),
    signOff: filled(copy?.sign_off ?? "", values, unknown),
    why: language.why,
  };
  return {
    ...senderOf(facts, config, defaultFrom),
    subject,
    text: plainBody(body),
    html: htmlBody(body),
    language: config.language,
    unknown: [...unknown],
  };
}

/** The facts with every name and reason as it may be shown: another person wrote them. */
function plainFacts(facts: MailFacts): MailFacts {
  return {
    ...facts,
    organisation: plainLine(facts.organisation),
    recipientName: nameInMail(facts.recipientName),
    developer: nameInMail(facts.developer),
    plans: facts.plans.map((plan) => ({
      ...plan,
      name: nameInMail(plan.name),
      apis: plan.apis.map(nameInMail),
    })),
    reason: plainText(facts.reason),
    approver: nameInMail(facts.approver),
    person: nameInMail(facts.person),
    rule: nameInMail(facts.rule),
    gateway: nameInMail(facts.gateway),
    mask: plainLine(facts.mask).replaceAll("://", ":"),
    certificate: plainLine(facts.certificate),
    waiting: facts.waiting.map(({ id, text }) => ({ id, text: plainLine(text) })),
  };
}

/** Whether a mail needs an address that links begin with. */
export function needsPublicUrl(facts: MailFacts, hasLink: boolean): boolean {
  return hasLink || facts.waiting.length > 0;
}

/** The values of placeholders. Those without a value in a mail are not replaced in it. */
function valuesOf(
  facts: MailFacts,
  config: MailConfig,
  copy: EmailCopy | undefined,
): MailValues {
  const { name, ends, mask, certificate, days, waiting } = facts;
  const isOfKey = name.startsWith("key_request.") || name.startsWith("key.");
  return {
    name: facts.recipientName,
    organisation: facts.organisation,
    ...isOfKey
      ? {
        developer: quotedName(facts.developer, config.language),
        plan: namesIn(facts.plans.map(({ name }) => name)),
        api: apisIn(facts),
      }
      : {},
    ...isOfKey ? { access: accessesOf(facts.plans) } : {},
    ...isOfKey ? { key: copy?.hide_token_data ? "" : mask } : {},
    ...name === "key_request.approved" || name === "key_request.declined"
      ? { approver: facts.approver, reason: facts.reason }
      : {},
    ...name === "key.suspended" ? { reason: facts.reason } : {},
    ...ends === "" ? {} : { expires: dayIn(config, ends), days: String(days) },
    ...facts.beginsAnew === "" ? {} : { resets: dayIn(config, facts.beginsAnew) },
    ...name.startsWith("certificate.") ? { certificate } : {},
    ...name.startsWith("temporary_access")
      ? {
        person: facts.person,
        rule: facts.rule,
        reason: facts.reason,
        actions: String(facts.deeds),
      }
      : {},
    ...name.startsWith("gateway.")
      ? { person: facts.person, gateway: facts.gateway, host: facts.host }
      : {},
    ...name === "gateway.silent" ? { minutes: String(facts.minutes) } : {},
    ...WITH_ADDRESS.has(name) ? { address: facts.address } : {},
    ...name === "developer.code_asked" ? { code: facts.code } : {},
    ...waiting.length > 0 ? { count: String(waiting.length) } : {},
  };
}

/** The APIs that its plans are valid for. */
function apisIn({ plans }: MailFacts): string {
  return namesIn(plans.flatMap(({ apis }) => apis));
}

function namesIn(names: readonly string[]): string {
  return [...new Set(names)].join(", ");
}

/**
 * Whether a mail tells why: of what is revoked it does not, since such a reason may name others.
 */
function hasReason(name: MailFacts["name"]): boolean {
  return name === "key_request.declined" || name === "key.suspended" ||
    name === "temporary_access.asked" || name === "temporary_access.started";
}

/** Whether a mail tells the limits of its plans: while a decision about them is to come, or new. */
function hasLimits(name: MailFacts["name"]): boolean {
  return isOfOne(name) || name === "key_request.created" || name === "key_request.approved" ||
    name === OFFERED;
}

/** The mails that tell which address an account has now. */
const WITH_ADDRESS: ReadonlySet<MailFacts["name"]> = new Set([
  "developer.email_changed",
  HANDED_OVER,
]);

/** The mails that tell what was said with a yes or an offer. */
const WITH_MESSAGE: ReadonlySet<MailFacts["name"]> = new Set([
  "key_request.approved",
  "key_request.later_end",
  OFFERED,
]);

function rowsOf(
  facts: MailFacts,
  config: MailConfig,
  copy: EmailCopy | undefined,
): [string, string][] {
  const { name } = facts;
  if (name === "test" || name === "key_request.waiting_several") return [];
  const rows: [MailWord, string][] = [["api", apisIn(facts)]];
  for (const plan of facts.plans) {
    const limits = hasLimits(name) ? limitsOf(config, plan) : [];
    rows.push(["plan", [accessOf(plan), ...limits].join("\n")]);
  }
  if (!copy?.hide_token_data && name !== "key_request.declined") rows.push(["key", facts.mask]);
  if (hasReason(name)) rows.push(["reason", facts.reason]);
  if (WITH_MESSAGE.has(name)) rows.push(["message", facts.reason]);
  if (isOfOne(name)) {
    rows.push(["requested", timeIn(config, facts.asked)]);
  }
  if (WITH_ADDRESS.has(name)) {
    rows.push(["changed", timeIn(config, facts.changed)], ["changed_by", facts.changedBy]);
  }
  if (name.startsWith("person.") && name !== "person.invited") {
    rows.push(["browser", facts.browser], ["from", facts.from], [
      "at",
      timeIn(config, facts.changed),
    ]);
  }
  if (name.startsWith("certificate.")) rows.push(["certificate", facts.certificate]);
  if (facts.ends !== "" && !copy?.hide_token_data) {
    rows.push(["expires", timeIn(config, facts.ends)]);
  }
  if (facts.beginsAnew !== "") rows.push(["resets", timeIn(config, facts.beginsAnew)]);
  return rows.filter(([, value]) => value !== "").map(([label, value]) => [
    word(config, label),
    value,
  ]);
}

function itemsOf({ waiting }: MailFacts, publicUrl: string): MailBody["items"] {
  if (waiting.length < 2) return [];
  return waiting.map(({ id, text }) => ({ text, url: requestUrl(publicUrl, id) }));
}

function requestUrl(publicUrl: string, id: string): string {
  return `${publicUrl}/console/requests/${encodeURIComponent(id)}`;
}

function buttonOf(
  { waiting, name, page }: MailFacts,
  { publicUrl, link, label }: {
    publicUrl: string;
    link: MailLink | undefined;
    label: string | undefined;
  },
): MailBody["button"] {
  if (!label || name === "test") return null;
  if (link) return { label, url: link.url };
  if (page !== "") return { label, url: page };
  const [first] = waiting;
  if (!first) return null;
  const url = waiting.length === 1
    // It opens the decision at once, where nothing is to be looked at first.
    ? `${requestUrl(publicUrl, first.id)}?ask=approve`
    : `${publicUrl}/console/requests`;
  return { label, url };
}

function senderOf(
  { configuration, organisation }: MailFacts,
  config: MailConfig,
  defaultFrom: string,
): Pick<ComposedMail, "from" | "replyTo"> {
  const { mail_from_name = "", mail_from_email = "" } = mailOptionsIn(configuration);
  const usable = [config.from, mail_from_email.trim(), defaultFrom]
    .find((address) => problemOfAddress(address) === undefined);
  if (usable === undefined) {
    throw new NoMail("no sender is named: set KEYDESK_MAIL_FROM, or the channel's from");
  }
  const name = oneLine(config.from_name || mail_from_name || organisation);
  return { from: { name, address: usable }, replyTo: config.reply_to };
}

function timeIn({ language, time_zone: timeZone }: MailConfig, time: string): string {
  return written(time, language, {
    dateStyle: "medium",
    timeStyle: "long",
    hourCycle: "h23",
    timeZone,
  });
}

function dayIn({ language, time_zone: timeZone }: MailConfig, time: string): string {
  return written(time, language, { dateStyle: "medium", timeZone });
}

function written(time: string, language: string, form: Intl.DateTimeFormatOptions): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : new Intl.DateTimeFormat(language, form).format(at);
}
