import { sql } from "kysely";
import { changed, values } from "../../storage/statement-functions.ts";

/**
 * Notes that channels get a checkpoint; false: they got this size, or another one since `before`.
 */
export const noteNotified = changed((
  db,
  p: { org_id: string; size: number; at: string; before: string },
) =>
  db.insertInto("trail_told").values({ org_id: p.org_id, size: p.size, at: p.at })
    .onConflict((conflict) =>
      conflict.column("org_id").doUpdateSet({ size: p.size, at: p.at })
        .where("trail_told.size", "<>", p.size).where("trail_told.at", "<", p.before)
    )
);

/** The topics of each channel of an organisation, JSON. */
export const topicsOfChannels = values((db, p: { org_id: string }) =>
  db.selectFrom("delivery_targets").select("topics").where("org_id", "=", p.org_id)
    .where("state", "=", sql.lit("active")).orderBy("id")
);
