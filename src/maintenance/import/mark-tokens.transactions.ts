import type { Wrapping } from "../../features/keys/chosen-keys.ts";
import { markWrapped, unmarkWrapped } from "../../features/keys/chosen-keys.store.ts";
import { defineTransaction } from "../../storage/storage.ts";

/** The keys that a run has learnt about: those that are tokens, and those that are user names. */
interface Learnt {
  org_id: string;
  tokens: { id: string; wrapping: Wrapping }[];
  userNames: string[];
}

/**
 * Marks tokens, whose text may have been chosen, and takes the mark from user names: these never
 * open by their text.
 */
export const markTokens = defineTransaction(
  "moving-in.mark-tokens",
  async (tx, { org_id, tokens, userNames }: Learnt) => {
    for (const { id, wrapping } of tokens) {
      await markWrapped(tx, { org_id, key_id: id, by: wrapping });
    }
    for (const id of userNames) await unmarkWrapped(tx, { org_id, key_id: id });
  },
);
