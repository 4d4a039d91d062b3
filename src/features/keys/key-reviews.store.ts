import { sql } from "kysely";
import { all } from "../../storage/statement-functions.ts";

/** Keys of one transaction. */
export const REVIEWS_AT_ONCE = 100;

/**
 * The first keys behind a place that people want to look at by `now`: those that still open
 * something, or would once they are resumed.
 */
export const dueReviews = all((
  db,
  p: { org_id: string; review_at: string; key_id: string; now: string },
) =>
  db.selectFrom("credentials").select(["key_id", "mask", "name", "developer_id"])
    .select((eb) => eb.ref("review_at").$notNull().as("review_at"))
    .where("org_id", "=", p.org_id).where("review_at", "is not", null)
    .where(sql<boolean>`(review_at, key_id) > (${p.review_at}, ${p.key_id})`)
    .where("review_at", "<=", p.now)
    .where("state", "<>", sql.lit("revoked")).where("replaced_by", "is", null)
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", p.now)]))
    .orderBy("review_at").orderBy("key_id").limit(sql.lit(REVIEWS_AT_ONCE))
);
