import { sql } from "kysely";
import { all } from "../../storage/statement-functions.ts";

/** The open claims of a key at `now`, in no order: an order by id leads past the index. */
export const openClaimsOfKey = all((db, p: { org_id: string; key_id: string; now: string }) =>
  db.selectFrom("claims").select(["id", "request_id"])
    .where("org_id", "=", p.org_id)
    // Said in words that the partial index has.
    .where("key_id", "=", p.key_id).where("key_id", "<>", sql.lit(""))
    .where("state", "=", sql.lit("open")).where("expires_at", ">", p.now)
);
