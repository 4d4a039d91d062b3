import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { clockOf } from "../../storage/store-clock.ts";
import { FORGOTTEN_MS, LATE_MS } from "./node-state.ts";
import { forgetNodes, putNode, removeNode } from "./nodes.store.ts";

/** The state that a process reports. */
export interface Heartbeat {
  id: string;
  name: string;
  version: string;
  /** For how long it has been running. */
  up_ms: number;
  stale_ms: number;
  /** How far its clock is ahead of the store's; null: no one compared them. */
  ahead_ms: number | null;
  /** Its own time, which counts where the store has none. */
  now: number;
}

/**
 * Notes that a process serves, by the store's clock. A silent one of its name that was last seen
 * before its start is taken to be the same, started again, and forgotten; so is whatever was silent
 * for a day.
 */
export const noteNode = defineTransaction(
  "nodes.note",
  async (tx, { up_ms, now, ...state }: Heartbeat): Promise<null> => {
    const at = await clockOf(tx) ?? now;
    await putNode(tx, {
      ...state,
      started_at: toTimestamp(at - up_ms),
      seen_at: toTimestamp(at),
    });
    await forgetNodes(tx, {
      id: state.id,
      name: state.name,
      silent: toTimestamp(at - Math.max(up_ms, LATE_MS)),
      old: toTimestamp(at - FORGOTTEN_MS),
    });
    return null;
  },
);

/** Forgets a process that ends in order. */
export const leaveNodes = defineTransaction(
  "nodes.leave",
  async (tx, { id }: { id: string }): Promise<null> => {
    await removeNode(tx, { id });
    return null;
  },
);
