import { problemOfAddress } from "../../kernel/mail-address.ts";
import { oneTimeLinkUrl } from "../keys/one-time-links/one-time-link.ts";
import { findLinkOfRequest, type WaitingLink } from "../keys/one-time-links/waiting-links.store.ts";
import { linkPlace } from "../keys/one-time-links/issue-one-time-link.transactions.ts";
import { emailLinkPlace, emailLinkUrl, emailSideOf } from "../developers/email-proof.ts";
import { findEmailLinkOf } from "../developers/email-proof.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { invitationLink, invitationPlace, INVITED } from "../people/person-invitation.ts";
import { findInvitationOf } from "../people/person-invitations.store.ts";
import { composeMail, type MailLink, needsPublicUrl, NoMail } from "./compose-mail.ts";
import { ANSWER_BYTES } from "./deliveries.store.ts";
import { factsOf, OFFERED } from "./mail-facts.ts";
import { offerIn } from "../key-requests/offer.ts";
import { offerAddress, offerLink, offerToken } from "../key-requests/offer-link.ts";
import { findV1 } from "../key-requests/v1.store.ts";
import { mailConfigOf } from "./mail-config.ts";
import { openedCode } from "./mailed-code.ts";
import { oneLine } from "./mail-words.ts";
import type { MessageSource } from "./message.ts";
import { readRecipient, type Recipient } from "./recipient.ts";
import { addressOf, addressOfLink } from "./recipients.transactions.ts";
import type { SenderContext, Sent } from "./sender.ts";
import type { ChannelRow } from "./channels.store.ts";
import { isOfWaiting } from "./waiting-topics.ts";

/** The message of a mail, and its recipient. */
interface MailSource extends MessageSource {
  recipient: string;
  gathered: readonly { object_id: string }[];
}

const NOT_SENT: Sent = {
  ok: false,
  gone: false,
  status: 0,
  durationMs: 0,
  answer: "",
  error: "",
  retryAfterMs: 0,
};

/**
 * Sends a mail to its recipient's present address, and a link only to the address for which it was
 * made. Final: there is no address, the server refuses mail for it, or the subject is over. Throws
 * if no mail can be sent now.
 */
export async function sendMail(
  ctx: SenderContext,
  channel: ChannelRow,
  id: string,
  source: MailSource,
): Promise<Sent> {
  const { org_id, topic, object_id, at } = source;
  const recipient = readRecipient(source.recipient);
  if (!recipient) return { ...NOT_SENT, final: "dead", error: "there is no recipient" };
  const gathered = source.gathered.map((one) => one.object_id);
  const code = recipient.kind === "code" ? await openedCode(ctx, org_id, recipient.id) : undefined;
  const { detail } = source;
  const about = { org_id, topic, object_id, at, recipient, gathered, code, detail };
  const facts = await factsOf(ctx.reader, about, ctx);
  if (!facts) {
    return { ...NOT_SENT, final: "skipped", error: "it was over before it could be sent" };
  }
  // Looked at once, and the address with it: a later one-time link is another's.
  const waiting = topic === "key_request.approved"
    ? await findLinkOfRequest(ctx.reader, {
      org_id,
      request_id: object_id,
      now: toTimestamp(ctx.now()),
    })
    : undefined;
  const { address, withheld } = waiting
    ? await addressOfLink(ctx.reader, org_id, recipient.id, waiting)
    : await addressOf(ctx.reader, org_id, recipient, source, ctx.now());
  if (withheld !== undefined) return { ...NOT_SENT, final: "skipped", error: withheld };
  const problem = problemOfAddress(address ?? "");
  if (address === undefined || problem !== undefined) {
    const why = address === undefined || address === "" ? "has no e-mail address" : NO_ADDRESS;
    const error = `no mail can reach ${person[recipient.kind]}, who ${why}`;
    return { ...NOT_SENT, final: "dead", error };
  }
  const link = waiting
    ? oneTimeLinkOf(ctx, org_id, waiting)
    : topic === OFFERED
    ? facts.page === "" ? await offerLinkOf(ctx, source, address) : undefined
    : await emailLinkOf(ctx, source, recipient);
  if (topic === INVITED && !link) {
    return { ...NOT_SENT, final: "skipped", error: "it was over before it could be sent" };
  }
  if (ctx.publicUrl === "" && needsPublicUrl(facts, link !== undefined)) {
    throw new NoMail("KEYDESK_PUBLIC_URL is not set, so no mail with a link can be sent");
  }
  const server = await ctx.mail();
  if (!server) throw new NoMail("no mail server is set, so no mail can be sent");
  const mail = composeMail({
    facts,
    config: mailConfigOf(channel),
    publicUrl: ctx.publicUrl,
    link,
    defaultFrom: server.from,
    missing: source.missing,
  });
  const started = performance.now();
  const { handOver } = await import("./smtp.ts");
  const to = { name: oneLine(facts.recipientName), address };
  const handed = await handOver(server, { ...mail, id, to });
  const { ok, status, answer, error, isFinal, mailLack, neededUtf8 } = handed;
  const left = mail.unknown.length === 0 ? "" : ` (left as text: ${mail.unknown.join(", ")})`;
  const without = (text: string) => withoutAddress(text, address);
  const stillWaiting = new Set(facts.waiting.map((one) => one.id));
  return {
    ok,
    gone: false,
    status,
    durationMs: performance.now() - started,
    retryAfterMs: 0,
    answer: without(answer).slice(0, ANSWER_BYTES / 4 - 500) + left.slice(0, 400),
    error: without(error),
    mailLack,
    neededUtf8,
    ...isFinal ? { final: "dead" } : {},
    skipped: recipient.kind === "person" && isOfWaiting(topic)
      ? [object_id, ...gathered].filter((one) => !stillWaiting.has(one))
      : [],
  };
}

/** Recipients as sentences name them. */
const person = {
  person: "this person",
  developer: "this developer",
  owner: "this owner",
  previous: "this developer",
  code: "the person who requested this code",
  invited: "who is invited",
} as const;

const NO_ADDRESS = "has an e-mail address to which no mail can be sent";

/** The one-time link of an approval, while it can be opened. */
function oneTimeLinkOf(
  { sealer, publicUrl }: SenderContext,
  org_id: string,
  { id, link, expires_at }: WaitingLink,
): MailLink | undefined {
  if (!link) return undefined;
  return { url: oneTimeLinkUrl(publicUrl, sealer.open(linkPlace(org_id, id), link)), expires_at };
}

/** The link that answers an offer, to the address for which it was made and to no other. */
async function offerLinkOf(
  { reader, sealer, publicUrl }: SenderContext,
  { org_id, object_id }: Pick<MessageSource, "org_id" | "object_id">,
  address: string,
): Promise<MailLink | undefined> {
  const offer = offerIn((await findV1(reader, { org_id, id: object_id }))?.offer ?? null);
  if (!offer?.to || offer.to !== offerAddress(sealer, address)) return undefined;
  const token = offerToken(sealer, { org_id, request_id: object_id, offer_id: offer.id });
  return { url: offerLink(publicUrl, token), expires_at: offer.expires_at };
}

/** The link of an invitation, or one that asks an address for its confirmation, while it opens. */
async function emailLinkOf(
  { reader, sealer, publicUrl, now }: SenderContext,
  { org_id, topic }: Pick<MessageSource, "org_id" | "topic">,
  { id: developer_id }: Recipient,
): Promise<MailLink | undefined> {
  const at = toTimestamp(now());
  if (topic === INVITED) {
    const open = await findInvitationOf(reader, { org_id, id: developer_id, now: at });
    if (!open?.link) return undefined;
    const text = sealer.open(invitationPlace(org_id, open.id), open.link);
    return { url: invitationLink(publicUrl, text), expires_at: open.expires_at };
  }
  const side = emailSideOf(topic);
  if (side === undefined) return undefined;
  const found = await findEmailLinkOf(reader, {
    org_id,
    developer_id,
    side,
    now: at,
  });
  if (!found?.link) return undefined;
  const token = sealer.open(emailLinkPlace(org_id, found.id), found.link);
  return { url: emailLinkUrl(publicUrl, token), expires_at: found.expires_at };
}

/**
 * The server's answer often contains the address, which must not stay in a row that is never
 * erased.
 */
function withoutAddress(text: string, address: string): string {
  return text.replaceAll(address, "(address)").replaceAll(address.toLowerCase(), "(address)")
    .replaceAll("\0", "\ufffd");
}
