import { sql } from "kysely";
import { exists } from "../../storage/statement-functions.ts";

/** Whether another plan than the one of this `_id` has the name. */
export const planNameTaken = exists((db, p: { org_id: string; name: string; id: string }) =>
  db.selectFrom("plans").select("id").where("org_id", "=", p.org_id).where("name", "=", p.name)
    .where("deleted_at", "is", null).where("id", "<>", p.id).limit(sql.lit(1))
);
