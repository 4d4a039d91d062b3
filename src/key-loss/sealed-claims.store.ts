import { sql } from "kysely";
import { byLimit } from "../storage/by-limit.ts";
import { statement } from "../storage/statement.ts";
import type { Tx } from "../storage/storage.ts";

const pageSql = byLimit((limit) =>
  statement<{ org_id: string; id: string }>()((db, p) =>
    db.selectFrom("claims").select(["org_id", "id", "state", "secret as sealed"])
      .where(sql<boolean>`(org_id, id) > (${p.org_id}, ${p.id})`)
      .orderBy("org_id").orderBy("id").limit(sql.lit(limit))
  )
);

/** Up to `limit` claims behind a place, in the order of their key. */
export function claimsBehind(tx: Tx, place: { org_id: string; id: string }, limit: number) {
  return tx.rows(pageSql(limit), { ...place });
}
