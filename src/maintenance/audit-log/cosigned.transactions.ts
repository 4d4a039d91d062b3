import { defineTransaction } from "../../storage/storage.ts";
import { type CosignedCheckpoint, keepCosigned } from "./cosigned.store.ts";

/**
 * Keeps what witnesses signed. No audit row: no one decided anything, and it would grow the log
 * that was signed.
 */
export const keepCosignedCheckpoint = defineTransaction(
  "trail.cosigned",
  async (tx, checkpoint: CosignedCheckpoint): Promise<null> => {
    await keepCosigned(tx, checkpoint);
    return null;
  },
);
