import { defineTransaction } from "../../storage/storage.ts";
import { findScrub, saveScrub, scrubLease, type ScrubState } from "./scrub.store.ts";

/**
 * Takes the scrub, or goes on with it; null while another node has it. `now`: by the store's clock.
 */
export const takeScrub = defineTransaction(
  "scrub.take",
  async (
    tx,
    { node, now }: { node: string; now: number },
  ): Promise<ScrubState | null> =>
    await scrubLease.take(tx, node, now) ? await findScrub(tx) ?? null : null,
);

/** Leaves the scrub to the other nodes. */
export const leaveScrub = defineTransaction(
  "scrub.leave",
  async (tx, { node }: { node: string }): Promise<null> => {
    await scrubLease.giveBack(tx, node);
    return null;
  },
);

/**
 * Keeps how far the scrub is, and goes on holding it. False where another node has taken it
 * meanwhile.
 */
export const keepScrub = defineTransaction(
  "scrub.keep",
  async (
    tx,
    { now, ...progress }:
      & { node: string; now: number }
      & Omit<ScrubState, "held_by" | "held_until">,
  ): Promise<boolean> =>
    await saveScrub(tx, progress) && await scrubLease.take(tx, progress.node, now),
);
