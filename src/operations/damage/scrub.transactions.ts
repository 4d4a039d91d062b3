import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { findScrub, holdScrub, saveScrub, type ScrubState } from "./scrub.store.ts";

/** Takes the scrub for `forMs`, or goes on with it; null while another node has it. */
export const takeScrub = defineTransaction(
  "scrub.take",
  async (
    tx,
    input: { node: string; now: number; forMs: number },
  ): Promise<ScrubState | null> => {
    const { node, now, forMs } = input;
    const hold = { node, now: toTimestamp(now), until: toTimestamp(now + forMs) };
    return await holdScrub(tx, hold) ? await findScrub(tx) ?? null : null;
  },
);

/** Keeps how far the scrub is. False where another node has taken it meanwhile. */
export const keepScrub = defineTransaction(
  "scrub.keep",
  (
    tx,
    input: { node: string; until: string } & Omit<ScrubState, "held_by" | "held_until">,
  ) => saveScrub(tx, input),
);
