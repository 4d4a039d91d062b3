import { sql } from "kysely";
import { exists } from "../../storage/statement-functions.ts";

/** Whether the approval of a request said when its key ends, instead of its plans. */
export const wasEndGranted = exists((db, p: { org_id: string; id: string }) =>
  db.selectFrom("key_requests").select("id")
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
    // As grantedIn reads it: no text in it holds a quotation mark that is not escaped.
    .where("granted", "like", sql.lit('%"expires_at":"%'))
);
