import { sql } from "kysely";
import { one } from "../../storage/statement-functions.ts";

/** No more of each are counted. */
const MOST = 100;

/**
 * How many keys of a developer work, and how many of their requests wait, up to MOST of each: one
 * statement over the developer's own rows alone.
 */
export const countOwn = one((
  db,
  p: { org_id: string; developer_id: string; now: string },
) =>
  db.selectNoFrom((eb) => [
    eb.selectFrom(
      eb.selectFrom("credentials").select("key_id")
        .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
        .where("state", "=", sql.lit("active"))
        .where((or) => or.or([or("expires_at", "is", null), or("expires_at", ">", p.now)]))
        .where((or) =>
          or.or([
            or("algorithm", "=", sql.lit("sha256")),
            or("use_before", "is", null),
            or("use_before", ">", p.now),
          ])
        )
        .limit(sql.lit(MOST)).as("k"),
    ).select(({ fn }) => fn.countAll<number | string>().as("n")).as("keys"),
    eb.selectFrom(
      eb.selectFrom("key_requests").select("id")
        .where("org_id", "=", p.org_id).where("by_user", "=", p.developer_id)
        .where("state", "=", sql.lit("pending"))
        .limit(sql.lit(MOST)).as("r"),
    ).select(({ fn }) => fn.countAll<number | string>().as("n")).as("requests"),
  ])
);
