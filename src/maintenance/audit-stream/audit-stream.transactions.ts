import { defineTransaction } from "../../storage/storage.ts";
import { removeUnsent, type UnsentRow } from "./unsent-rows.store.ts";

/** Notes that the stream has rows. No audit row: no one decided anything. */
export const noteSent = defineTransaction(
  "trail.note-sent",
  async (tx, { rows }: { rows: UnsentRow[] }): Promise<null> => {
    for (const row of rows) await removeUnsent(tx, row);
    return null;
  },
);
