import { sql } from "kysely";
import { exists } from "../../storage/statement-functions.ts";

/**
 * Whether an organisation moves away from an old gateway: one of the original's is there, one ever
 * taught keys, or its calls were observed.
 */
export const isMoving = exists((db, p: { org_id: string }) =>
  db.selectFrom("organisations as o").select("o.id").where("o.id", "=", p.org_id).where((eb) =>
    eb.or([
      eb.exists(
        eb.selectFrom("gateways as g").select("g.id").whereRef("g.org_id", "=", "o.id")
          .where("g.kind", "=", sql.lit("tyk")),
      ),
      eb.exists(
        eb.selectFrom("key_learning as l").select("l.gateway_id").whereRef("l.org_id", "=", "o.id"),
      ),
      eb.exists(
        eb.selectFrom("observed_days as d").select("d.begins").whereRef("d.org_id", "=", "o.id")
          .where("d.kind", "in", [
            sql.lit("organisation" as const),
            sql.lit("unknown" as const),
          ]),
      ),
    ])
  )
);
