import type { ServiceContext } from "../../calls/context.ts";
import { type StoredEvent, withoutPersonal } from "../../changes/audit-content.ts";
import { type Erased, eraseFromAuditLog } from "./erase.transactions.ts";
import { namesToErase, type Selection, stillHolds } from "./erase-selection.ts";
import { eventsBehind } from "./erasing.store.ts";

/** The result of erasing in one organisation's audit log. */
export interface ErasedAuditLog extends Erased {
  org_id: string;
  /** Rows without a hash yet: they were left, and can be erased once they are in the log. */
  waiting: number;
  /** Rows that are not as Keydesk writes any, so that nothing could be taken out of them. */
  unreadable: number;
  /** Rows that still hold the person's text, where nothing is erased or within another text. */
  left: number;
}

/**
 * Erases personal values from one organisation's audit log, a batch of rows in each transaction;
 * `isDry`: counts them alone. Rows that wait for the log should have been taken in before.
 */
export async function eraseAuditLog(
  { storage, clock }: Pick<ServiceContext, "storage" | "clock">,
  org_id: string,
  selection: Selection,
  isDry: boolean,
): Promise<ErasedAuditLog> {
  const sum = { org_id, rows: 0, values: 0, waiting: 0, unreadable: 0, left: 0 };
  const { before } = selection;
  for (let behind: string | undefined = ""; behind !== undefined;) {
    const found = await eventsBehind(storage.reader, org_id, { behind, before });
    const rows: { id: string; names: string[] }[] = [];
    for (const row of found) {
      if (row.content_hash === null) sum.waiting++;
      else {
        const looked = lookAt(row, selection);
        if (!looked) sum.unreadable++;
        else {
          if (looked.isLeft) sum.left++;
          if (looked.names.length > 0) rows.push({ id: row.id, names: looked.names });
        }
      }
    }
    if (isDry) {
      sum.rows += rows.length;
      for (const { names } of rows) sum.values += names.length;
    } else if (rows.length > 0) {
      const input = { org_id, rows, by: "operator", now: clock.now() };
      const erased = await storage.commit(eraseFromAuditLog, input);
      sum.rows += erased.rows;
      sum.values += erased.values;
    }
    behind = found.at(-1)?.id;
  }
  return sum;
}

/**
 * The part of a row that is erased, and whether the person's text stays in it; undefined if it
 * can't be read as one.
 */
function lookAt(
  row: StoredEvent,
  selection: Selection,
): { names: string[]; isLeft: boolean } | undefined {
  try {
    const names = namesToErase(row, selection);
    const rest = withoutPersonal(row, names);
    const { person } = selection;
    return { names, isLeft: person !== undefined && stillHolds(rest, person) };
  } catch {
    return undefined;
  }
}
