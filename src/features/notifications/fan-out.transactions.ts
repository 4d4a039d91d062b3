import { raiseFloor } from "../../changes/outbox.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { CODE_ASKED } from "../developers/sign-in-code.ts";
import { deliveryId, GIVEN_UP_MS, isUrgent, lineOf, URGENT_MS, wants } from "./delivery.ts";
import {
  type DeliveryRow,
  FANNED_OUT,
  fanOutLease,
  insertDelivery,
  linesWaiting,
  markFannedOut,
  type Message,
  messagesToFanOut,
} from "./fan-out.store.ts";
import { recipientsOf } from "./recipients.transactions.ts";
import { lockChannels } from "./channels.store.ts";

/** The result of a fan-out. */
interface FannedOut {
  /** False: another node does it. */
  leased: boolean;
  /** True: more messages may wait. */
  more: boolean;
}

/**
 * Makes a delivery of each waiting message for each channel that wants its topic, up to FANNED_OUT
 * messages. Any node may try at any time; the lease's row, locked to the end, lets one do it.
 * `now`: by the store's clock. Messages and channels both have positions: a channel gets the
 * messages behind its own.
 */
export const fanOut = defineTransaction(
  "deliveries.fan-out",
  async (
    tx,
    input: { org_id: string; holder: string; now: number },
  ): Promise<FannedOut> => {
    const { org_id, holder, now } = input;
    if (!await fanOutLease.take(tx, holder, now)) return { leased: false, more: false };
    const channels = await lockChannels(tx, { org_id });
    const messages = await messagesToFanOut(tx, org_id);
    const last = messages.at(-1);
    if (!last) return { leased: true, more: false };
    for (const channel of channels) {
      // as: channels.transactions.ts writes a list of texts.
      const patterns = JSON.parse(channel.topics) as string[];
      const wanted = messages.filter(({ topic, position }) =>
        position > Number(channel.starts_behind) && wants(patterns, topic)
      );
      const place = { org_id, target_id: channel.id };
      const objects = [...new Set(wanted.map(({ object_id }) => object_id))];
      const waiting = new Set(
        await linesWaiting(tx, place, objects, { ofRecipients: channel.kind === "mail" }),
      );
      for (const message of wanted) {
        for (const recipient of await recipientsOf(tx, channel, message)) {
          const line = lineOf({ ...message, recipient });
          const blocked = waiting.has(line);
          await insertDelivery(tx, newDelivery(place, { ...message, recipient }, { blocked, now }));
          waiting.add(line);
        }
      }
    }
    await markFannedOut(tx, org_id, messages.map(({ id }) => id));
    await raiseFloor(tx, { org_id, floor: last.position });
    return { leased: true, more: messages.length === FANNED_OUT };
  },
);

/** A delivery as it begins. `blocked`: another one of its line goes first. */
export function newDelivery(
  { org_id, target_id }: { org_id: string; target_id: string },
  { id, at, topic, object_id, position, recipient }: Omit<Message, "detail"> & {
    recipient: string;
  },
  { blocked, now }: { blocked: boolean; now: number },
): DeliveryRow {
  return {
    org_id,
    id: deliveryId(id, target_id, recipient),
    target_id,
    event_id: id,
    topic,
    object_id,
    at,
    position,
    recipient,
    state: "waiting",
    line: 1,
    ...placeInLine(topic, blocked, now),
    holder: "",
    tries: 0,
    attempts: 0,
    first_try_at: null,
    ended_at: null,
  };
}

/** When a delivery is tried that comes into its line now. */
export function placeInLine(
  topic: string,
  blocked: boolean,
  now: number,
): Pick<DeliveryRow, "blocked" | "due_at"> {
  // The earliest due is sent first: a code goes before all other messages of the channel.
  if (topic === CODE_ASKED) return { blocked: 0, due_at: toTimestamp(now - GIVEN_UP_MS) };
  if (!blocked) return { blocked: 0, due_at: toTimestamp(now) };
  return { blocked: 1, due_at: isUrgent(topic) ? toTimestamp(now + URGENT_MS) : null };
}
