import { type Actor, recordAudit } from "../../changes/audit.ts";
import { drawPosition } from "../../changes/outbox.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import {
  findDelivery,
  lineWaits,
  messagesBetween,
  type PastMessage,
  REPLAYED,
  updateDelivery,
} from "./deliveries.store.ts";
import { deliveryId, wants } from "./delivery.ts";
import { newDelivery, placeInLine } from "./fan-out.transactions.ts";
import { type DeliveryRow, insertDelivery } from "./fan-out.store.ts";
import { recipientsOf } from "./recipients.transactions.ts";
import { type ChannelRow, lockChannel } from "./channels.store.ts";

/** The state of a message for a channel; `unsent`: there is no delivery of it. */
type Past = "delivered" | "dead" | "unsent";

/**
 * Sends a delivery once more, behind all that waits for its object; one that waits is tried now,
 * which is `due` by the store's clock. Throws `not_found`.
 */
export const replayOne = defineTransaction(
  "deliveries.replay-one",
  async (tx, { actor, id, due }: { actor: Actor; id: string; due: number }): Promise<null> => {
    const { org_id } = actor;
    const found = await findDelivery(tx, org_id, id);
    const channel = found && await lockChannel(tx, { org_id, id: found.target_id });
    // It is read again now that its line is still.
    const row = channel && await findDelivery(tx, org_id, id);
    if (!row) throw new Failure("not_found");
    if (row.state !== "waiting") await reopen(tx, row, due);
    else if (row.blocked === 0 && row.holder === "") {
      await updateDelivery(tx, row, { due_at: toTimestamp(due) });
    }
    await recordAudit(tx, actor, {
      action: "delivery.replayed",
      object: "delivery",
      object_id: id,
    });
    return null;
  },
);

/** One step of a replay. */
interface ReplayStep {
  replayed: number;
  /** The id of the last message that was looked at; null: that was all. */
  behind: string | null;
}

/**
 * Sends a channel the messages with ids in between that it wants and that match, in the order in
 * which they were made, a hundred at a step. Waiting deliveries are left as they are. Throws
 * `not_found`.
 */
export const replaySpan = defineTransaction(
  "deliveries.replay-span",
  async (
    tx,
    input: {
      actor: Actor;
      target_id: string;
      behind: string;
      until: string;
      /** As times are written. */
      after: string;
      before: string;
      topics: readonly string[] | null;
      object_id: string | null;
      states: readonly Past[];
      /** Now, by the store's clock. */
      due: number;
    },
  ): Promise<ReplayStep> => {
    const { actor, target_id, behind, until } = input;
    const { org_id } = actor;
    const channel = await lockChannel(tx, { org_id, id: target_id });
    if (!channel) throw new Failure("not_found");
    const messages = await messagesBetween(tx, { org_id, behind, until });
    let replayed = 0;
    for (const message of inOrder(messages)) {
      if (!isMeant(channel, message, input)) continue;
      for (const recipient of await recipientsOf(tx, channel, message)) {
        if (await again(tx, channel, { ...message, recipient }, input.states, input.due)) {
          replayed++;
        }
      }
    }
    if (replayed > 0) {
      const detail = { replayed, after: input.after, before: input.before };
      const event = { action: "target.replayed", object: "target", object_id: target_id };
      await recordAudit(tx, actor, { ...event, detail });
    }
    const last = messages.length < REPLAYED ? null : messages.at(-1)?.id ?? null;
    return { replayed, behind: last };
  },
);

/** By their positions where all have one, else as their ids sort. */
function inOrder(messages: readonly PastMessage[]): readonly PastMessage[] {
  return messages.every(({ position }) => position > 0)
    ? messages.toSorted((a, b) => a.position - b.position)
    : messages;
}

function isMeant(
  channel: ChannelRow,
  { at, topic, object_id, waits }: PastMessage,
  wanted: {
    after: string;
    before: string;
    topics: readonly string[] | null;
    object_id: string | null;
  },
): boolean {
  // as: channels.transactions.ts writes a list of texts.
  return !waits && wants(JSON.parse(channel.topics) as string[], topic) &&
    at >= wanted.after && at < wanted.before &&
    (wanted.topics === null || wants(wanted.topics, topic)) &&
    (wanted.object_id === null || wanted.object_id === object_id);
}

async function again(
  tx: Tx,
  { org_id, id: target_id }: ChannelRow,
  message: PastMessage & { recipient: string },
  states: readonly Past[],
  now: number,
): Promise<boolean> {
  const row = await findDelivery(tx, org_id, deliveryId(message.id, target_id, message.recipient));
  if (row) {
    const isMeant = row.state !== "waiting" && row.state !== "skipped" &&
      states.includes(row.state);
    if (!isMeant) return false;
    await reopen(tx, row, now);
    return true;
  }
  if (!states.includes("unsent")) return false;
  const position = await drawPosition(tx, org_id);
  const blocked = await lineWaits(tx, { ...message, org_id, target_id });
  const place = { org_id, target_id };
  await insertDelivery(tx, newDelivery(place, { ...message, position }, { blocked, now }));
  return true;
}

async function reopen(tx: Tx, row: DeliveryRow, now: number): Promise<void> {
  const blocked = await lineWaits(tx, row);
  await updateDelivery(tx, row, {
    ...placeInLine(row.topic, blocked, now),
    state: "waiting",
    line: 1,
    holder: "",
    tries: 0,
    first_try_at: null,
    ended_at: null,
    position: await drawPosition(tx, row.org_id),
  });
}
