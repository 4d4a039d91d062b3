import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Tx } from "../../storage/storage.ts";

const raiseSql = statement<{ org_id: string }>()((db, p) =>
  db.updateTable("catalogues").set({ revision: sql`revision + 1` }).where("org_id", "=", p.org_id)
);

/**
 * Raises the revision of the organisation's catalogue, by which readers notice, and holds it until the transaction
 * ends. A plan's second id does that too: entries that name one of its ids are found by the other from then on.
 */
export async function raiseRevision(tx: Tx, org_id: string): Promise<void> {
  await tx.change(raiseSql, { org_id });
}
