import { sql } from "kysely";
import { pick } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { lockOne } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import type { HashedEvent } from "./leaf.ts";
import { eventColumns } from "./logs.store.ts";

/** Rows of one look, and of one transaction. */
const ERASED_AT_ONCE = 100;

const behindSql = statement<{ org_id: string; behind: string; before: string }>()((db, p) =>
  db.selectFrom("audit_events").select(eventColumns)
    .where("org_id", "=", p.org_id).where("id", ">", p.behind).where("id", "<", p.before)
    .orderBy("id").limit(sql.lit(ERASED_AT_ONCE))
);

/** Sorts behind all ids. */
const LAST = "g";

/** Up to 100 rows of the audit log behind an id, before another one where that is given, by id. */
export function eventsBehind(
  db: Connection,
  org_id: string,
  { behind, before = LAST }: { behind: string; before?: string | undefined },
): Promise<HashedEvent[]> {
  return db.rows(behindSql, { org_id, behind, before });
}

/** A row of the audit log, held to the end of the transaction; undefined where it is gone. */
export const lockEvent = lockOne((db, p: { org_id: string; id: string }) =>
  db.selectFrom("audit_events").select(eventColumns)
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

type Personal = Record<
  "org_id" | "id" | "detail" | "client_address" | "personal" | "salts" | "erased",
  string
>;

const setPersonalSql = statement<Personal>()((db, p) =>
  db.updateTable("audit_events").set(
    pick(p, "detail", "client_address", "personal", "salts", "erased"),
  ).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Writes what is personal in a row, and what represents it. */
export async function setPersonal(tx: Tx, row: Personal): Promise<void> {
  const { org_id, id, detail, client_address, personal, salts, erased } = row;
  await tx.send(setPersonalSql, { org_id, id, detail, client_address, personal, salts, erased });
}
