import { sql } from "kysely";
import { change } from "../../storage/statement-functions.ts";

/**
 * Raises the revision of the organisation's catalogue, by which readers notice, and holds it until
 * the transaction ends. A plan's second id does that too: entries that name one of its ids are
 * found by the other from then on.
 */
export const raiseRevision = change((db, p: { org_id: string }) =>
  db.updateTable("catalogues").set({ revision: sql`revision + 1` }).where("org_id", "=", p.org_id)
);
