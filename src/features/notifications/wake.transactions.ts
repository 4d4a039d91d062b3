import { type Actor, recordAudit } from "../../changes/audit.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { WAKE_MS } from "./delivery.ts";
import { lockChannel, updateChannel } from "./channels.store.ts";
import { lockLater, setDue, WOKEN } from "./wake.store.ts";

/** The result of a step. */
interface Woken {
  woken: number;
  /** True: more may wait. */
  more: boolean;
}

/**
 * Makes due what waits for a channel that takes messages again, up to WOKEN of it: by the time that
 * the channel says, spread over what is left until then. `now`, as everywhere here: by the store's
 * clock.
 */
export const wakeSome = defineTransaction(
  "deliveries.wake",
  async (
    tx,
    { org_id, target_id, now }: { org_id: string; target_id: string; now: number },
  ): Promise<Woken> => {
    const channel = await lockChannel(tx, { org_id, id: target_id });
    if (!channel || channel.wake_by === null) return { woken: 0, more: false };
    const by = Math.max(now, Date.parse(channel.wake_by));
    const ids = await lockLater(tx, channel, { by: toTimestamp(by), all: false });
    for (const id of ids) await setDue(tx, { org_id, id, due_at: spread(id, now, by) });
    const more = ids.length === WOKEN;
    if (!more) await updateChannel(tx, channel, { wake_by: null });
    return { woken: ids.length, more };
  },
);

/**
 * Sends at once because a person asks for it, despite the receiver's requested delay: repeat it
 * while more may wait. `by`: when all of it is due; `woken`: how many were made so before, logged
 * with the last step if `tells`. Throws `not_found`.
 */
export const deliverNow = defineTransaction(
  "deliveries.now",
  async (
    tx,
    input: {
      actor: Actor;
      id: string;
      now: number;
      by: number;
      woken: number;
      notifies: boolean;
    },
  ): Promise<Woken> => {
    const { actor, id: target_id, now, notifies } = input;
    const { org_id } = actor;
    const channel = await lockChannel(tx, { org_id, id: target_id });
    if (!channel) throw new Failure("not_found");
    const by = Math.max(now, input.by);
    const ids = await lockLater(tx, channel, { by: toTimestamp(by), all: true });
    for (const id of ids) await setDue(tx, { org_id, id, due_at: spread(id, now, by) });
    const woken = input.woken + ids.length;
    const more = ids.length === WOKEN;
    if (!more && notifies) {
      const event = { action: "target.hurried", object: "target", object_id: target_id };
      await recordAudit(tx, actor, { ...event, detail: { woken } });
    }
    return { woken, more };
  },
);

/**
 * When a delivery is tried, of all that are to be due at that time: its id, which ends with a hash,
 * says so.
 */
function spread(id: string, now: number, by: number): string {
  const part = Number.parseInt(id.slice(-4), 16) / 0x10000;
  return toTimestamp(Math.floor(now + (by - now) * (Number.isNaN(part) ? 0 : part)));
}

/** Until when what waits is to be due, from now on. */
export const wakesBy = (now: number): number => now + WAKE_MS;
