import { operator } from "../access/access.transactions.ts";
import { allotPositions, dropPrivateKey } from "../certificates/certificates.store.ts";
import { markClosed } from "../claims/claims.store.ts";
import { toTimestamp } from "../lib/clock.ts";
import { recordChange } from "../outbox/record-change.ts";
import {
  replaceSealed,
  type ResealPlace,
  rowsBehind,
  sealedColumns,
  type SealedTable,
  sealedTables,
} from "../sealing/reseal.store.ts";
import { defineTransaction, type Tx } from "../storage/storage.ts";
import { claimsBehind } from "./sealed-claims.store.ts";

/** A table in which values can be lost with a sealing key. Kept answers are not among them: they end by themselves in a day. */
export type LossTable = SealedTable | "claims";
/** All of them. */
export const lossTables: readonly LossTable[] = [
  ...new Set<LossTable>([...sealedTables, "claims"]),
];

/** What one chunk gave up. */
export interface LostChunk {
  /** Where to go on; null at the end of the table. */
  next: ResealPlace | null;
  lost: number;
}

/**
 * Gives up, in one chunk of a table, every value that no key at hand opens: it reads empty from then on, a claim
 * counts as withdrawn, a certificate as one without a key, so that its key can be uploaded again. Each has an audit
 * row. Safe to repeat and to break off.
 */
export const acceptLoss = defineTransaction(
  "key-loss.accept",
  async (
    tx,
    input: { table: LossTable; behind: ResealPlace; limit: number; now: number },
  ): Promise<LostChunk> => {
    const { table, behind, limit, now } = input;
    const rows: Row[] = table === "claims"
      ? await claimsBehind(tx, behind, limit)
      : await rowsBehind(tx, table, behind, limit);
    let lost = 0;
    for (const row of rows) {
      if (row.sealed === null || !isLost(tx, table, row.org_id, row.id, row.sealed)) continue;
      if (!await forget(tx, table, { ...row, sealed: row.sealed }, now)) continue;
      lost++;
      await recordChange(tx, operator(row.org_id, now), {
        action: "secret.lost",
        object: objects[table],
        object_id: table === "certificate_files" ? row.org_id + row.id : row.id,
        detail: { key_version: Number(row.sealed.slice(0, row.sealed.indexOf("."))) },
      });
    }
    const last = rows.at(-1);
    const next = last && rows.length === limit ? { org_id: last.org_id, id: last.id } : null;
    return { next, lost };
  },
);

interface Row {
  org_id: string;
  id: string;
  sealed: string | null;
}

/** What the trail calls each of them. */
const objects: Record<LossTable, string> = {
  certificate_files: "certificate",
  developers: "developer",
  key_requests: "key_request",
  claims: "claim",
};

/** A claim needs its token as well, which nobody here has: it is lost with its key alone. */
function isLost(tx: Tx, table: LossTable, org_id: string, id: string, sealed: string): boolean {
  if (table === "claims") return !tx.sealer.hasKeyOf(sealed);
  return !tx.sealer.canOpen({ table, org_id, id, column: columnOf(table) }, sealed);
}

function columnOf(table: SealedTable): string {
  return sealedColumns[table].column;
}

async function forget(
  tx: Tx,
  table: LossTable,
  row: { org_id: string; id: string; sealed: string },
  now: number,
): Promise<boolean> {
  const { org_id, id, sealed } = row;
  switch (table) {
    case "claims":
      return await markClosed(tx, { org_id, id }, { state: "withdrawn", at: toTimestamp(now) });
    case "certificate_files":
      await allotPositions(tx, org_id, 0);
      return await dropPrivateKey(tx, { org_id, fingerprint: id }, sealed);
    default:
      return await replaceSealed(tx, table, { org_id, id, before: sealed, after: null });
  }
}
