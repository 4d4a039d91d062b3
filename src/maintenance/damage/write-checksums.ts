import type { CheckedTable } from "../../changes/checked-rows.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Storage } from "../../storage/storage.ts";
import { checkedTables } from "./checked-rows.store.ts";
import {
  type ChecksumRule,
  demand,
  shutOutOlderCode,
  writeChecksums,
} from "./checksums.transactions.ts";

/** Rows of one transaction: short enough for a server beside it not to wait. */
const CHUNK = 200;

/** The result of a walk over one table. */
interface WrittenChecksums {
  rows: number;
  written: number;
  damaged: number;
}

/** Gives checksums to every row of a table, by the rule, in small transactions. */
export async function writeTable(
  { storage, clock }: { storage: Storage; clock: Clock },
  table: CheckedTable,
  rule: ChecksumRule,
): Promise<WrittenChecksums> {
  const total = { rows: 0, written: 0, damaged: 0 };
  for (let behind = { org_id: "", id: "" }, isLast = false; !isLast;) {
    const input = { table, behind, limit: CHUNK, rule, now: clock.now() };
    const chunk = await storage.commit(writeChecksums, input);
    total.rows += chunk.rows;
    total.written += chunk.written;
    total.damaged += chunk.damaged;
    isLast = chunk.next === null;
    behind = chunk.next ?? behind;
  }
  return total;
}

/**
 * Has the store demand checksums, for good: code that knows none is shut out first, then every row
 * gets its own. No process of such code may run any more. Gives how many rows got one.
 */
export async function demandAll(ctx: { storage: Storage; clock: Clock }): Promise<number> {
  await ctx.storage.commit(shutOutOlderCode, null);
  let written = 0;
  for (const table of checkedTables) written += (await writeTable(ctx, table, "fill")).written;
  await ctx.storage.commit(demand, null);
  return written;
}
