import { sql } from "kysely";
import { contentOf, type StoredEvent } from "../../changes/audit-content.ts";
import type { OutletRow } from "../../storage/outlet.ts";
import type { Connection } from "../../storage/storage.ts";
import { columnsOf } from "../../storage/rows.ts";
import { all, send } from "../../storage/statement-functions.ts";
import { finds, removes } from "../../storage/table-statements.ts";

/** Rows that are looked at in one go. */
export const UNSENT_AT_ONCE = 500;

/** A row that waits for the stream. */
export interface UnsentRow {
  org_id: string;
  event_id: string;
  at: string;
}

const olderSql = all((db, p: { before: string; at: string; event_id: string; org_id: string }) =>
  db.selectFrom("trail_unsent").select(["org_id", "event_id", "at"])
    .where("at", "<", p.before)
    .where(
      sql<boolean>`(at, event_id, org_id) > (${p.at}, ${p.event_id}, ${p.org_id})`,
    )
    .orderBy("at").orderBy("event_id").orderBy("org_id").limit(sql.lit(UNSENT_AT_ONCE))
);

const eventSql = all(
  finds("audit_events", {
    columns: columnsOf("audit_events", "content_hash", "leaf_index"),
  }),
);

/** Up to 500 rows of before a time that wait, behind one of them, in the order of their times. */
export async function unsentRows(
  db: Connection,
  before: string,
  { at, event_id, org_id }: UnsentRow = { at: "", event_id: "", org_id: "" },
): Promise<UnsentRow[]> {
  return await olderSql(db, { before, at, event_id, org_id });
}

/** The row as the stream has it; undefined: the audit log does not have it any more. */
export async function outletRowOf(
  db: Connection,
  { org_id, event_id }: UnsentRow,
): Promise<OutletRow | undefined> {
  const [row]: StoredEvent[] = await eventSql(db, { org_id, id: event_id });
  if (!row) return undefined;
  const { id, at, action } = row;
  return { org_id, id, at, action, content: contentOf(row) };
}

/** The stream has it. */
export const removeUnsent = send(removes("trail_unsent"));
