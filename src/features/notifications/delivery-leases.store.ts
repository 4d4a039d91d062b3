import { sql } from "kysely";
import { change, one, send } from "../../storage/statement-functions.ts";

/** Gives a node the right to try a delivery until then; from then on it is due again. */
export const lease = send((db, p: { org_id: string; id: string; holder: string; until: string }) =>
  db.updateTable("deliveries").set({ holder: p.holder, due_at: p.until })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/**
 * A channel, of any organisation, of which a node has a delivery for longer than until `until`;
 * undefined: there is none.
 */
export const channelWaitingBeyond = one((db, p: { until: string }) =>
  db.selectFrom("deliveries").select(["org_id", "target_id"])
    // Said in the words that the partial index has.
    .where("holder", "<>", sql.lit("")).where("due_at", ">", p.until)
    .orderBy("due_at").limit(sql.lit(1))
);

/** Lets rights to deliveries of a channel that would last longer end then; gives how many. */
export const shortenLeases = change((
  db,
  p: { org_id: string; target_id: string; until: string },
) =>
  db.updateTable("deliveries").set({ due_at: p.until })
    .where("org_id", "=", p.org_id).where("target_id", "=", p.target_id)
    .where("due_at", "is not", null).where("due_at", ">", p.until)
    .where("holder", "<>", sql.lit(""))
);

/** Makes due what a node has of a channel until `until`; gives how many. */
export const endLeases = change((
  db,
  p: Record<"org_id" | "target_id" | "holder" | "until" | "now", string>,
) =>
  db.updateTable("deliveries").set({ holder: sql.lit(""), due_at: p.now })
    .where("org_id", "=", p.org_id).where("target_id", "=", p.target_id)
    .where("due_at", "is not", null).where("due_at", "=", p.until)
    .where("holder", "=", p.holder)
);
