import { defineTransaction } from "../../storage/storage.ts";
import {
  replaceSealed,
  type ResealPlace,
  rowsBehind,
  sealedColumn,
  type SealedTable,
} from "./reseal.store.ts";

/**
 * The result of one chunk. `next` is the place to go on from; undefined at the end of the table.
 */
export interface ResealedChunk {
  next: ResealPlace | null;
  /** Texts that were sealed anew; others had the newest key already, or changed meanwhile. */
  resealed: number;
  /** Texts that no key at hand opens; they stay as they are. */
  unreadable: number;
}

/**
 * Seals one chunk of a table's texts anew with the newest key. Safe to repeat and to break off:
 * what is sealed with that key already stays as it is.
 */
export const resealChunk = defineTransaction(
  "sealing.reseal",
  async (
    tx,
    input: { table: SealedTable; behind: ResealPlace; limit: number },
  ): Promise<ResealedChunk> => {
    const { table, behind, limit } = input;
    const rows = await rowsBehind(tx, table, behind, limit);
    let resealed = 0;
    let unreadable = 0;
    for (const { org_id, id, sealed } of rows) {
      if (sealed === null || tx.sealer.isCurrent(sealed)) continue;
      const place = { table, org_id, id, column: sealedColumn(table).column };
      if (!tx.sealer.canOpen(place, sealed)) {
        unreadable++;
        continue;
      }
      const after = tx.sealer.seal(place, tx.sealer.open(place, sealed));
      if (await replaceSealed(tx, table, { org_id, id, before: sealed, after })) resealed++;
    }
    const last = rows.at(-1);
    const next = last && rows.length === limit ? { org_id: last.org_id, id: last.id } : null;
    return { next, resealed, unreadable };
  },
);
