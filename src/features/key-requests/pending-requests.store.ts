import { sql } from "kysely";
import { countRow } from "../../storage/list-counts.ts";
import { statement } from "../../storage/statement.ts";
import { all } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";
import { forgetComments } from "./comments.store.ts";
import { listOf } from "./key-request.ts";
import { noteForSearch } from "./search.store.ts";

/** A developer's undecided requests for a plan, with the texts that termsOf reads. */
export const findPending = all((db, p: { org_id: string; by_user: string; for_plan: string }) =>
  db.selectFrom("key_requests").select(["id", "head", "tail", "asked_end"])
    .where("org_id", "=", p.org_id).where("by_user", "=", p.by_user)
    .where("for_plan", "=", p.for_plan).where("state", "=", sql.lit("pending"))
);

/**
 * Holds a developer's undecided requests until the transaction ends: before the developer, as
 * approve does.
 */
export const lockPendingOf = all((db, p: { org_id: string; by_user: string }, dialect) => {
  const query = db.selectFrom("key_requests").select("id")
    .where("org_id", "=", p.org_id).where("by_user", "=", p.by_user)
    .where("state", "=", sql.lit("pending"));
  // Locks in one order; where there are none, an order would only lead away from the right index.
  return dialect === "postgres" ? query.orderBy("id").forUpdate() : query;
});

const removeSql = statement<{ org_id: string; by_user: string }>()((db, p) =>
  db.deleteFrom("key_requests").where("org_id", "=", p.org_id).where("by_user", "=", p.by_user)
    .where("state", "=", sql.lit("pending")).returning(["id", "approved", "instant"])
);

/** Deletes a developer's undecided requests, counts them out, and gives their ids. */
export async function removePendingOf(tx: Tx, org_id: string, by_user: string): Promise<string[]> {
  const removed = await tx.rows(removeSql, { org_id, by_user });
  // In the order of the lists' names, as everywhere.
  removed.sort((a, b) => a.approved - b.approved);
  for (const { id, approved, instant } of removed) {
    await noteForSearch(tx, org_id, id);
    await forgetComments(tx, { org_id, request_id: id });
    countRow(tx, { org_id, list: listOf("pending", approved), instant }, -1);
  }
  return removed.map((row) => row.id);
}
