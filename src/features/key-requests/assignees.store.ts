import { sql } from "kysely";
import { changed } from "../../storage/statement-functions.ts";

/** Says to whom a pending request is assigned; null: to nobody. False where it is decided. */
export const setAssignee = changed(
  (db, p: { org_id: string; id: string; assignee: string | null }) =>
    db.updateTable("key_requests").set({ assignee: p.assignee })
      .where("org_id", "=", p.org_id).where("id", "=", p.id).where(
        "state",
        "=",
        sql.lit("pending"),
      ),
);
