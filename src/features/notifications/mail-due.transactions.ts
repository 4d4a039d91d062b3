import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import {
  type DueRow,
  findDelivery,
  lockGathered,
  updateDelivery,
  wakeFirst,
} from "./deliveries.store.ts";
import { lease } from "./delivery-leases.store.ts";
import { insertDelivery } from "./fan-out.store.ts";
import { newDelivery } from "./fan-out.transactions.ts";
import { countedAs, HOUR_MS, nextAllowed } from "./mail-count.ts";
import { lockCount, setCount } from "./mail-counts.store.ts";
import { type MailConfig, mailConfigOf } from "./mail-config.ts";
import { CODE_ASKED } from "../developers/sign-in-code.ts";
import { findLinkOfRequest } from "../keys/one-time-links/waiting-links.store.ts";
import { readRecipient, type Recipient } from "./recipient.ts";
import { addressOf, addressOfLink, recipientsOf } from "./recipients.transactions.ts";
import type { ChannelRow } from "./channels.store.ts";
import { isOfWaiting } from "./waiting-topics.ts";

const MINUTE_MS = 60 * 1000;

/** A mail that is to be sent now. */
export interface DueMail extends DueRow {
  /** The other deliveries in the same mail: to the same recipient. */
  gathered: { id: string; object_id: string }[];
  /** Under what the mail is counted; "": nowhere, since there is no address. */
  counted: string;
}

/** True for a mail that gathers what waits for the same approver. */
function isDigest({ topic, recipient }: DueRow): boolean {
  return isOfWaiting(topic) && readRecipient(recipient)?.kind === "person";
}

/**
 * Of the deliveries of a mail channel that are due, and held, those that may be sent now, each with
 * what is gathered into its mail; all of them are leased. Mails that their address may not get yet
 * are due later, and no try of them is counted.
 */
export async function claimMails(
  tx: Tx,
  channel: ChannelRow,
  due: readonly DueRow[],
  right: { holder: string; until: string; now: number },
): Promise<DueMail[]> {
  const config = mailConfigOf(channel);
  const mails: DueMail[] = [];
  const taken = new Set<string>();
  for (const row of due) {
    if (taken.has(row.id)) continue;
    if (row.recipient === "") {
      await spread(tx, channel, row.id, right.now);
      continue;
    }
    const mail = await claimMail(tx, channel, config, row, right);
    if (!mail) continue;
    for (const { id } of mail.gathered) taken.add(id);
    mails.push(mail);
  }
  return mails;
}

async function claimMail(
  tx: Tx,
  channel: ChannelRow,
  config: MailConfig,
  row: DueRow,
  { holder, until, now }: { holder: string; until: string; now: number },
): Promise<DueMail | undefined> {
  const { org_id } = channel;
  const recipient = readRecipient(row.recipient);
  const address = recipient && await addressNow(tx, org_id, recipient, row, now);
  if (!address) {
    await lease(tx, { org_id, id: row.id, holder, until });
    // The sender finds the same, and reports it.
    return { ...row, gathered: [], counted: "" };
  }
  // Its own limits are narrower, and no one may keep a code away by having others mailed.
  if (row.topic === CODE_ASKED) {
    await lease(tx, { org_id, id: row.id, holder, until });
    return { ...row, gathered: [], counted: "" };
  }
  const counted = countedAs(org_id, address);
  const count = await lockCount(tx, { org_id, address: counted }, now);
  const gathers = isDigest(row);
  const digestMs = gathers ? config.digest_minutes * MINUTE_MS : 0;
  const at = nextAllowed(count, { now, perHour: config.per_hour, digestMs });
  if (at > now) {
    await postpone(tx, org_id, row.id, toTimestamp(at));
    return undefined;
  }
  const next = { at: [...count.at, now], digest: gathers ? now : count.digest };
  await setCount(tx, { org_id, address: counted }, next, now + Math.max(HOUR_MS, digestMs));
  await lease(tx, { org_id, id: row.id, holder, until });
  const gathered = gathers
    ? await lockGathered(tx, {
      org_id,
      target_id: channel.id,
      recipient: row.recipient,
      topic: row.topic,
      id: row.id,
      now: toTimestamp(now),
    })
    : [];
  for (const { id } of gathered) await lease(tx, { org_id, id, holder, until });
  return { ...row, gathered, counted };
}

/** Under which address a mail is counted that is due now; anyone who sends it looks anew. */
async function addressNow(
  tx: Tx,
  org_id: string,
  recipient: Recipient,
  row: DueRow,
  now: number,
): Promise<string | undefined> {
  const { topic, object_id } = row;
  const link = topic === "key_request.approved"
    ? await findLinkOfRequest(tx, { org_id, request_id: object_id, now: toTimestamp(now) })
    : undefined;
  const { address } = link
    ? await addressOfLink(tx, org_id, recipient.id, link)
    : await addressOf(tx, org_id, recipient, row, now);
  return address;
}

async function postpone(tx: Tx, org_id: string, id: string, due_at: string): Promise<void> {
  const row = await findDelivery(tx, org_id, id);
  if (row) await updateDelivery(tx, row, { due_at, holder: "" });
}

/** Takes back that a mail was counted which was not sent. `now`: when it was counted. */
export async function uncount(
  tx: Tx,
  place: { org_id: string; address: string },
  now: number,
): Promise<void> {
  const { at, digest } = await lockCount(tx, place, now);
  const n = at.lastIndexOf(now);
  const left = n < 0 ? at : at.toSpliced(n, 1);
  const count = { at: left, digest: digest === now ? 0 : digest };
  await setCount(tx, place, count, now + HOUR_MS);
}

/** A delivery without recipients, as an earlier release makes it, becomes one for each. */
async function spread(tx: Tx, channel: ChannelRow, id: string, now: number): Promise<void> {
  const { org_id } = channel;
  const row = await findDelivery(tx, org_id, id);
  if (!row) return;
  const place = { org_id, target_id: channel.id };
  for (const recipient of await recipientsOf(tx, channel, row)) {
    const message = { ...row, id: row.event_id, recipient };
    await insertDelivery(tx, newDelivery(place, message, { blocked: false, now }));
  }
  const at = toTimestamp(now);
  await updateDelivery(tx, row, {
    state: "skipped",
    line: 0,
    blocked: 0,
    due_at: null,
    holder: "",
    ended_at: at,
  });
  await wakeFirst(tx, { ...row, now: at });
}
