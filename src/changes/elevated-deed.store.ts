import { sql } from "kysely";
import { changed } from "../storage/statement-functions.ts";

/**
 * Counts a deed of an elevation that is open at `now`, and holds it until the transaction ends.
 * False: it has ended.
 */
export const countElevatedDeed = changed((
  db,
  p: { org_id: string; id: string; now: string },
  dialect,
) =>
  db.updateTable("elevations").set({
    deeds: sql<number>`deeds + 1`,
    seen_at: sql<string>`${sql.raw(dialect === "postgres" ? "greatest" : "max")}(
      coalesce(seen_at, started_at), ${p.now})`,
  })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("open"))
    .where("expires_at", ">", p.now)
    .where(sql<boolean>`expires_at > coalesce(seen_at, started_at)`)
);
