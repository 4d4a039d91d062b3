import { sql } from "kysely";
import { all, one } from "../../../storage/statement-functions.ts";

/** No more of each are counted. */
export const MOST_COUNTED = 100;
/** So many active keys of a developer are looked at for those that work. */
const LOOKED_AT = 1000;

/**
 * The sets of plans that a developer's keys have which are active and whose time is not over, and
 * how many keys have each: over the developer's own rows alone, LOOKED_AT of them at the most.
 */
export const countActiveKeys = all((
  db,
  p: { org_id: string; developer_id: string; now: string },
) =>
  db.selectFrom((eb) =>
    eb.selectFrom("credentials").select("plans")
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
      .limit(sql.lit(LOOKED_AT)).as("k")
  ).select("plans").select(({ fn }) => fn.countAll<number | string>().as("keys")).groupBy("plans")
);

/** How many requests of a developer wait, up to MOST_COUNTED. */
export const countPendingRequests = one((db, p: { org_id: string; developer_id: string }) =>
  db.selectFrom((eb) =>
    eb.selectFrom("key_requests").select("id")
      .where("org_id", "=", p.org_id).where("by_user", "=", p.developer_id)
      .where("state", "=", sql.lit("pending"))
      .limit(sql.lit(MOST_COUNTED)).as("r")
  ).select(({ fn }) => fn.countAll<number | string>().as("requests"))
);
