import { defineTransaction } from "../../storage/storage.ts";
import { noteUse, type UseRow } from "./verification.store.ts";

/**
 * Keeps when keys were last used; a later use that is there already stays. No audit row: no one
 * decided anything.
 */
export const noteUses = defineTransaction(
  "verification.note-uses",
  async (tx, input: { uses: UseRow[] }) => {
    for (const use of input.uses) await noteUse(tx, use);
  },
);
