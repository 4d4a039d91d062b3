/**
 * The channels that want an object's alerts, whether they would reach anybody, and what became of
 * the newest alert.
 */
import type { Connection } from "../../../storage/storage.ts";
import { attemptsOf, deliveriesBelow } from "../deliveries.store.ts";
import { wants } from "../delivery.ts";
import { mailKinds } from "../../../contract/mail-kinds.ts";
import { mailConfigOf } from "../mail-config.ts";
import { readRecipient } from "../recipient.ts";
import { addressOf, recipientsOf } from "../recipients.transactions.ts";
import { type ChannelRow, channelsBelow } from "../channels.store.ts";
import { type AlertObject, topicOf } from "./alert.ts";
import type { ChannelFacts, Facts } from "./why.ts";

/** Channels that are looked at, the newest of an organisation. */
const MOST_CHANNELS = 100;

/** The alert's organisation and object. */
interface Of {
  org_id: string;
  object: AlertObject;
  id: string;
}

/** The channels that want such alerts, each with what became of the newest; null: there is none. */
export async function channelFacts(
  db: Connection,
  of: Of,
  alert: Facts["alert"],
): Promise<ChannelFacts[]> {
  const { org_id } = of;
  const topic = `${topicOf[of.object]}.${alert?.days === 0 ? "ended" : "ends_soon"}`;
  const event_id = alert?.event_id ?? "";
  // Ids of deliveries begin with their event's.
  const filter = { org_id, object_id: "", state: "", lowest: event_id } as const;
  const deliveries = event_id === ""
    ? []
    : await deliveriesBelow(db, filter, `${event_id}~`, MOST_CHANNELS);
  const sent = new Map(deliveries.map((row) => [row.target_id, row]));
  const channels = await channelsBelow(db, { org_id, below: "~" }, MOST_CHANNELS);
  const wanted = channels.filter((channel) => sent.has(channel.id) || wantsAlert(channel, topic));
  // The recipient is equal for all of them: the certificate's owner, or the key's developer.
  const mail = wanted.find((channel) => channel.kind === "mail" && wantsAlert(channel, topic));
  const canMail = mail !== undefined && await hasAddress(db, of, mail, topic);
  return await Promise.all(wanted.map(async (channel) => {
    const delivery = sent.get(channel.id);
    const isOpen = delivery !== undefined && delivery.state !== "delivered";
    const [newest] = isOpen ? await attemptsOf(db, org_id, delivery.id) : [];
    return {
      id: channel.id,
      name: channel.name,
      kind: channel.kind,
      state: channel.state,
      has_recipient: channel.kind !== "mail" || canMail,
      paused_since: channel.state === "paused" ? channel.state_changed_at : null,
      delivery_id: delivery?.id ?? null,
      // An alert whose occasion was over was not sent.
      delivery: !delivery || delivery.state === "skipped" ? null : delivery.state,
      ended_at: delivery?.ended_at ?? null,
      error: newest ? newest.error || `answered ${newest.status}` : "",
    };
  }));
}

/** Whether a channel wants a topic; one of mails, only where it sends that kind of mail. */
function wantsAlert(channel: ChannelRow, topic: string): boolean {
  // as: channels.transactions.ts writes a list of texts.
  if (!wants(JSON.parse(channel.topics) as string[], topic)) return false;
  if (channel.kind !== "mail") return true;
  const { mails } = mailConfigOf(channel);
  return mailKinds.some((kind) => kind.topic === topic && (mails[kind.name]?.enabled ?? kind.on));
}

async function hasAddress(
  db: Connection,
  { org_id, id }: Of,
  channel: ChannelRow,
  topic: string,
): Promise<boolean> {
  for (const text of await recipientsOf(db, channel, { topic, object_id: id, at: "" })) {
    const recipient = readRecipient(text);
    if (!recipient) continue;
    // Of what happens from now on.
    const message = { topic, object_id: id, at: "~" };
    // No alert is an invitation, whose time alone would matter.
    const { address } = await addressOf(db, org_id, recipient, message, 0);
    if (address) return true;
  }
  return false;
}
